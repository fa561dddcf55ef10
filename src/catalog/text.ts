import type { Confidence } from '../model/finding.ts';

/**
 * What of Daytona shows in text that no type reaches: variables, hosts, paths, images, commands.
 * Data only; `analyze/text/` applies it. Hosts, variables and headers are facts about the Daytona
 * service and SDKs up to 0.218, checked against their sources and against code that uses them.
 */

/** A variable the Daytona SDKs or tools read themselves. */
export interface EnvVariable {
  /** Its counterpart, or null when none exists. */
  becomes: string | null;
  note: string;
}

const credentials = 'The key of the new backend; a Daytona key is worth nothing there.';
const endpoint = 'The address of the new backend; unset for hosted E2B.';

export const ENV_VARIABLES: Readonly<Record<string, EnvVariable>> = {
  DAYTONA_API_KEY: { becomes: 'E2B_API_KEY', note: credentials },
  DAYTONA_API_URL: { becomes: 'E2B_API_URL', note: endpoint },
  DAYTONA_SERVER_URL: { becomes: 'E2B_API_URL', note: `${endpoint} Old name of DAYTONA_API_URL.` },
  DAYTONA_BASE_URL: { becomes: 'E2B_API_URL', note: `${endpoint} No Daytona SDK reads this one.` },
  DAYTONA_TARGET: { becomes: null, note: 'Regions have no counterpart.' },
  DAYTONA_ORGANIZATION_ID: { becomes: null, note: 'The key already decides the team.' },
  DAYTONA_ORG_ID: { becomes: null, note: 'The key already decides the team.' },
  DAYTONA_JWT_TOKEN: { becomes: 'E2B_API_KEY', note: 'Sandboxes are made with a key, not a JWT.' },
  DAYTONA_USE_DEPRECATED_POLLING: { becomes: null, note: 'State events have no counterpart.' },
  DAYTONA_OTEL_ENABLED: { becomes: null, note: 'Instrument the calls yourself.' },
  DAYTONA_EXPERIMENTAL_OTEL_ENABLED: { becomes: null, note: 'Instrument the calls yourself.' },
  DAYTONA_HAPPY_EYEBALLS_DELAY: {
    becomes: null,
    note: 'A setting of the Daytona Python SDK only.',
  },
};

/** Bundlers copy variables with these prefixes into what browsers download. */
export const PUBLIC_PREFIX =
  /^(?:NEXT_PUBLIC|VITE|REACT_APP|EXPO_PUBLIC|NUXT_PUBLIC|PUBLIC|GATSBY|NG_APP|VUE_APP)_/;

/**
 * Any variable named after Daytona. The beach, the race and the speedway are not the product, and
 * DAYTONA_API, _DAEMON, _PROXY and _RUNNER are values of an error's `source` field.
 */
export const ENV_NAME =
  /(?<![A-Za-z0-9_])(?:[A-Z][A-Z0-9]*_)*DAYTONA_(?!(?:BEACH|FL|FLORIDA|SPEEDWAY|INTERNATIONAL|RACE|500|24|(?:API|DAEMON|PROXY|RUNNER)(?!_))(?![A-Z0-9]))[A-Z0-9]+(?:_[A-Z0-9]+)*(?![A-Za-z0-9_])/g;

/** One kind of text coupling. Of overlapping matches the one listed first wins. */
export interface TextPattern {
  rule: string;
  /** Global. The group `at`, where there is one, is what is reported. */
  pattern: RegExp;
  /** Outside prose and comments. */
  confidence: Confidence;
  /** `prose`: also stays this sure within sentences, as in prompts. */
  prose?: boolean;
  message?: string;
  becomes?: string;
  /** Only meaningful in a file that names a Daytona host elsewhere. */
  needsHost?: boolean;
  /** Only in commands and configuration, not in string literals of a program. */
  fileOnly?: boolean;
}

/** A dot, also as written inside a regular expression or a string that holds one. */
const DOT = String.raw`\\{0,2}\.`;
const SCHEME = String.raw`(?:(?:https?|wss?):\/\/)?`;
/** What may stand before a host name: sub-domains, placeholders, pattern syntax. */
const LABEL = String.raw`[\w*{}$.<>\[\]()?+|\\^%-]`;
/** Tried only where a run of label characters starts, so that a long text is read once. */
const LABELS = `${LABEL}{0,160}`;
const RUN_START = `(?<!${LABEL})`;
const PATH = String.raw`[^\s"'\`<>,;|)\\]`;

/** Resources of the control plane; source: the routes its generated client calls. */
const RESOURCES =
  'sandbox|workspace|toolbox|snapshots|volumes|secret|warm-pools|object-storage|organizations|api-keys|runners|docker-registry|regions';
/** Sub-routes of `/sandbox/{id}` that nobody else's API has. */
const DISTINCT_ACTIONS = String.raw`autostop|autoarchive|autodelete|autopause|last-activity|ssh-access|network-settings|toolbox-proxy-url|build-logs(?:-url)?|backup|signing-key|ports\/[^\s/"'\`]+\/(?:signed-)?preview-url`;
const ACTIONS = `start|stop|archive|recover|pause|fork|snapshot|resize|labels|public|ports|toolbox|${DISTINCT_ACTIONS}`;
/** An id in a path: a placeholder or a segment. */
const SEGMENT = String.raw`(?:\$?\{[^}\n]{0,120}\}|:\w+|<[^>\s]{1,80}>|[\w-]+|%s)`;

/** Sub-commands of the Daytona command line, current and old; source: its command reference. */
const GROUPED =
  '(?:sandbox|sandboxes|snapshot|snapshots|volume|volumes|organization)[ \\t]+(?:create|list|ls|delete|rm|info|start|stop|archive|push|build|use|ssh|exec)';
const VERBS =
  'create|start|stop|archive|delete|info|exec|ssh|preview-url|login|logout|mcp|server|serve|autocomplete';
/** What stands before a command: the start of a line, an operator, a prompt, a key of a workflow. */
const STARTS = String.raw`^|[\n;&|\`"'(>]|\\n|\$ |RUN |(?:run|script|command|cmd): |npx |exec |sudo |then |do |&& `;

/** The word `daytona` where a shell would take it for a program. */
function commandAfter(starts: string): string {
  // The lookahead first: a lookbehind at every character of a long text is slow.
  return `(?=daytona)(?<=(?:${starts})[ \\t]{0,40})daytona[ \\t]+`;
}

/** Code that uses the SDK: what makes a string, a fenced block or a cell embedded code. */
export const SDK_CODE: readonly RegExp[] = [
  /(?<![\w.])from\s+daytona(?:_sdk)?(?:\.[\w.]+)?\s+import\b/g,
  /(?=import)(?<=(?:^|["'`;>]|\\n)[ \t]{0,40})import\s+(?:daytona_sdk\b|daytona(?=\s*(?:$|as\b|;|\\n|["'`,])))/gm,
  /(?<![\w.])(?:from|import)\s*\\?["']@daytona(?:io)?\/[\w./-]+/g,
  /(?<![\w.])(?:require|import)\s*\(\s*\\?["'`]@daytona(?:io)?\/[\w./-]+/g,
  /(?<![\w.])new\s+Daytona\s*\(/g,
];

export const TEXT_PATTERNS: readonly TextPattern[] = [
  {
    rule: 'DT909',
    pattern: /(?<![\w-])x-daytona-preview-token(?![\w-])/gi,
    confidence: 'likely',
    message: 'Header that opens a private preview.',
    becomes: 'e2b-traffic-access-token',
  },
  {
    rule: 'DT909',
    pattern: /(?<![\w-])x-daytona-[a-z0-9]+(?:-[a-z0-9]+)*(?![\w-])/gi,
    confidence: 'likely',
  },
  {
    rule: 'DT909',
    pattern: /(?<![\w-])DAYTONA_SANDBOX_AUTH_KEY(?![\w-])/g,
    confidence: 'likely',
    message: 'Query parameter that opens a private preview; elsewhere only a header does.',
  },
  {
    rule: 'DT904',
    pattern: new RegExp(
      `${RUN_START}${SCHEME}(?:${LABELS}[-.])?(?:daytona${DOT}works?|daytonaproxy\\d*${DOT}[a-z]{2,6})(?![\\w-])`,
      'gi',
    ),
    confidence: 'likely',
    becomes: '<port>-<id>.<domain>',
  },
  {
    rule: 'DT904',
    pattern: new RegExp(
      `${RUN_START}${SCHEME}${LABELS}[\\w*})>]${DOT}proxy${DOT}(?:app${DOT})?daytona${DOT}[a-z]{2,6}(?![\\w-])`,
      'gi',
    ),
    confidence: 'likely',
    becomes: '<port>-<id>.<domain>',
  },
  {
    rule: 'DT904',
    pattern: new RegExp(`${SCHEME}proxy${DOT}daytona${DOT}[a-z]{2,6}(?![\\w-])`, 'gi'),
    confidence: 'likely',
    becomes: '<port>-<id>.<domain>',
  },
  {
    rule: 'DT906',
    pattern: new RegExp(
      `(?<![\\w.-])(?:(?:cr|registry)\\.app\\.daytona\\.io|[\\w-]+\\.internal\\.daytona\\.app)\\/${PATH}+`,
      'g',
    ),
    confidence: 'likely',
    message: 'Image in a Daytona registry.',
  },
  {
    rule: 'DT902',
    pattern: new RegExp(
      `${SCHEME}(?<![\\w.-])(?:app|api)\\.daytona\\.(?:io|dev)(?:\\/api)?\\/(?:${RESOURCES})(?![\\w-])${PATH}*`,
      'gi',
    ),
    confidence: 'likely',
    message: 'URL of a Daytona REST call.',
  },
  {
    rule: 'DT902',
    pattern: new RegExp(
      `${SCHEME}(?<![\\w.-])proxy\\.app\\.daytona\\.io\\/toolbox\\/${PATH}+`,
      'gi',
    ),
    confidence: 'likely',
    message: 'URL of a Daytona toolbox call.',
  },
  {
    rule: 'DT902',
    pattern: new RegExp(
      `\\/toolbox\\/${SEGMENT}\\/(?:toolbox\\/)?(?:process|files|git|lsp|computeruse|project-dir|work-dir|user-home-dir)(?![\\w-])${PATH}*`,
      'g',
    ),
    confidence: 'likely',
    message: 'Path of a Daytona toolbox call.',
  },
  {
    rule: 'DT902',
    pattern: new RegExp(
      `(?<![\\w-])\\/(?:sandbox|workspace)\\/${SEGMENT}\\/(?:${DISTINCT_ACTIONS})(?![\\w-])`,
      'g',
    ),
    confidence: 'possible',
    message: 'Path that looks like a Daytona REST call.',
  },
  {
    rule: 'DT902',
    // A whole literal that is a path, or a path right after a placeholder for the base URL. The
    // application's own routes start with /api, since Daytona's base URL already ends with it.
    pattern: new RegExp(
      `(?<=^|\\})\\/(?:(?:sandbox|workspace)(?:\\/${SEGMENT}(?:\\/(?:${ACTIONS})(?![\\w-])${PATH}*)?)?|toolbox\\/${PATH}*|snapshots(?:\\/${SEGMENT})?|volumes(?:\\/${SEGMENT})?)\\/?(?=$|\\?)`,
      'g',
    ),
    confidence: 'possible',
    needsHost: true,
    message: 'Path of a REST call in a file that names a Daytona host.',
  },
  {
    rule: 'DT904',
    // A sub-domain that is put together: documentation and the product's own sites are not.
    pattern: new RegExp(`${RUN_START}${SCHEME}${LABELS}\\}${DOT}daytona${DOT}io(?![\\w-])`, 'gi'),
    confidence: 'likely',
    becomes: '<port>-<id>.<domain>',
  },
  {
    rule: 'DT903',
    // The bare domain as a whole literal: a test on a host name.
    pattern: new RegExp(`(?<=^)[.]?daytona${DOT}(?:io|works?)(?=$)`, 'gi'),
    confidence: 'likely',
    message: 'Recognises Daytona by its domain.',
  },
  {
    rule: 'DT903',
    pattern: new RegExp(
      `${SCHEME}(?<![\\w.-])app${DOT}daytona${DOT}io\\/(?:dashboard|settings|keys|login|onboarding)(?![\\w-])${PATH}*`,
      'gi',
    ),
    confidence: 'possible',
    message: 'Link to the Daytona dashboard.',
  },
  {
    rule: 'DT903',
    pattern: new RegExp(
      `${SCHEME}(?<![\\w.*-])(?:(?:(?:[\\w-]+|\\*)${DOT}){0,3}(?:app|api|proxy|ssh|stage|staging)|\\*)${DOT}daytona${DOT}(?:io|dev)(?![\\w-])(?:\\/api(?![\\w-]))?`,
      'gi',
    ),
    confidence: 'likely',
    becomes: 'the address of the new backend',
  },
  {
    rule: 'DT906',
    // With a tag it is an image; without one only the known names are, since repositories of the
    // same organisation look alike.
    pattern:
      /(?<![@\w./-])(?:docker\.io\/|docker:\/\/)?daytonaio\/(?:[a-z0-9][\w.-]*(?::(?:\$\{?\w+\}?|[\w][\w.-]*)|@sha256:[a-f0-9]+)|(?:sandbox|sandbox-slim|workspace-project|ai-test)(?![\w./-]))/g,
    confidence: 'likely',
    becomes: 'a template that contains envd',
  },
  {
    rule: 'DT906',
    pattern: /(?<![\w./-])daytona-(?:small|medium|large|gpu)(?![\w./-])/g,
    confidence: 'likely',
    message: 'Name of a ready-made Daytona snapshot.',
    becomes: 'a template',
  },
  {
    rule: 'DT907',
    pattern: /(?<![\w.])\/home\/daytona(?![\w-])(?:\/[\w.@${}*+-]+)*\/?/g,
    confidence: 'likely',
    prose: true,
    becomes: '/home/user',
  },
  {
    rule: 'DT907',
    pattern:
      /(?<![\w@/.-])(?:USER[ \t]+|(?:useradd|adduser|usermod)[ \t][^\n;&|"'`]{0,120}?|chown[ \t]+(?:-\w+[ \t]+)?|su[ \t]+(?:-[ \t]+|-\w+[ \t]+)?|sudo[ \t]+-u[ \t]+|--chown=)daytona(?::daytona)?(?=[\s"'`;&|\\]|$)|(?<=^|["'`\n])daytona[ \t]+ALL=/g,
    confidence: 'likely',
    message: 'User of the Daytona images.',
    becomes: 'user',
  },
  {
    rule: 'DT905',
    // A flag makes it a command wherever it stands.
    pattern: new RegExp(
      `${commandAfter(`${STARTS}|- `)}(?:${GROUPED}|${VERBS})(?=[ \\t]+-{1,2}[a-z])`,
      'g',
    ),
    confidence: 'likely',
    prose: true,
  },
  {
    rule: 'DT905',
    pattern: new RegExp(`${commandAfter(`${STARTS}|- `)}(?:${GROUPED})(?![\\w-])`, 'g'),
    confidence: 'likely',
  },
  {
    rule: 'DT905',
    // One verb and at most one argument; in a list it may as well be a label.
    pattern: new RegExp(
      `${commandAfter(STARTS)}(?:${VERBS})(?=[ \\t]*(?:$|[\\n\`"';&|)\\\\]|<|\\[|\\$|[\\w./-]+[ \\t]*(?:$|[\\n\`"'\\\\])))(?![\\w-])`,
      'g',
    ),
    confidence: 'likely',
  },
  {
    rule: 'DT905',
    pattern: /(?:https?:\/\/)?(?<![\w.-])download\.daytona\.io(?![\w-])[^\s"'`<>)]*/g,
    confidence: 'likely',
    message: 'Installs the Daytona command line.',
  },
  {
    rule: 'DT905',
    pattern: /(?<![\w./-])daytonaio\/cli\/daytona(?![\w-])/g,
    confidence: 'likely',
    message: 'Installs the Daytona command line.',
  },
  {
    rule: 'DT112',
    pattern:
      /\b(?:pip3?\s+install|uv\s+(?:add|pip\s+install)|poetry\s+add|pdm\s+add|pipx\s+install)\b[^\n;&|"`]{0,200}?[\s"'](?<at>daytona(?:[-_]sdk)?)(?=[\s=<>~![\]"'`\\;&|]|$)/g,
    confidence: 'likely',
    message: 'Installs the Daytona SDK for Python.',
  },
  {
    rule: 'DT112',
    pattern:
      /\b(?:npm|pnpm|yarn|bun|deno)\s+(?:install|i|add)\b[^\n;&|"'`]{0,200}?\s(?:npm:)?(?<at>@daytona(?:io)?\/[\w-]+)/g,
    confidence: 'likely',
    message: 'Installs the Daytona SDK.',
  },
  {
    rule: 'DT112',
    pattern:
      /(?<![\w@/.-])@daytona(?:io)?\/(?:(?:toolbox-|analytics-)?api-client|sdk)(?![\w-])(?:\/[\w./*-]+)?/g,
    confidence: 'likely',
    fileOnly: true,
  },
];
