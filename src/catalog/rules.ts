import type { Fix, VerdictNote } from '../model/finding.ts';
import { adapted, unsupported } from './verdicts.ts';

/** Topics in the order reports group them. The first digit of a rule id is its topic. */
export const TOPICS = {
  0: 'Health and traps',
  1: 'Imports and packages',
  2: 'Client and creation',
  3: 'Sandbox lifecycle',
  4: 'Processes',
  5: 'Files',
  6: 'Git',
  7: 'Platform services',
  8: 'Types, errors and tests',
  9: 'Text and configuration',
} as const;

export interface Rule {
  id: string;
  name: string;
  /** One line: what kind of coupling it is. */
  title: string;
  /** Why it matters when moving, and what becomes of it. */
  detail: string;
  /** Code before and after, where it helps. */
  example?: { before: string; after: string };
  /** Who does the work where the finding names no symbol of its own, or only mentions one. */
  fix: Fix;
  /** How a place without a symbol fares on every target. */
  verdict: VerdictNote;
}

/** Rules that differ from "a codemod does it, nothing is lost". */
const OUTCOMES: Readonly<Record<string, readonly [Fix, VerdictNote?]>> = {
  DT001: ['manual'],
  DT002: ['manual'],
  DT003: ['manual'],
  DT010: ['manual', unsupported('It did not work on Daytona either: decide what was meant.')],
  DT011: ['review'],
  DT012: ['review'],
  DT013: ['review'],
  DT014: ['review'],
  DT107: ['review'],
  DT108: ['review'],
  DT109: ['manual', unsupported('Use the provider interface, or the E2B REST API of the target.')],
  DT110: ['manual', unsupported('Use the wrapper of the new backend, or @cubeshift/sandbox.')],
  DT112: ['review'],
  DT804: ['review', adapted('Other words on every backend: match on the error code.')],
  DT805: ['review', adapted('Other statuses on every backend: match on the error code.')],
  DT806: ['review'],
  DT807: ['manual'],
  DT808: ['review'],
  DT809: ['review'],
  DT901: ['review'],
  DT902: ['manual', unsupported('Use the provider interface, or the E2B REST API of the target.')],
  DT903: ['review'],
  DT904: ['manual', adapted('Ports are <port>-<sandbox id>.<domain>; use portUrl() instead.')],
  DT905: ['manual', unsupported('Build templates with the tools of the target.')],
  DT906: ['manual', adapted('The template must be built from an image that contains envd.')],
  DT907: [
    'review',
    adapted('The home of the template: /home/user on E2B and on Cube base images.'),
  ],
  DT908: ['manual'],
  DT909: ['review'],
};

function rule(
  id: string,
  name: string,
  title: string,
  detail: string,
  example?: Rule['example'],
): Rule {
  const [fix, verdict] = OUTCOMES[id] ?? ['automatic'];
  return {
    id,
    name,
    title,
    detail,
    ...(example === undefined ? {} : { example }),
    fix,
    verdict: verdict ?? adapted(),
  };
}

/** Every kind of coupling. Symbols in the catalogue point here; analysers name nothing else. */
export const RULES: readonly Rule[] = [
  rule(
    'DT001',
    'unparsable-file',
    'A coupled file could not be analysed in full',
    'It does not parse, or is nested too deeply. What could be read of it is reported, but something may be missing, so the run is incomplete. Fix it and scan again.',
  ),
  rule(
    'DT002',
    'unreadable-file',
    'A file could not be read',
    'It may hold couplings nobody sees, so the run is incomplete. Make it readable or exclude it.',
  ),
  rule(
    'DT003',
    'generated-file',
    'Daytona code in a minified or generated file',
    'Never rewritten: rebuild it from its source after the migration, or exclude it.',
  ),
  rule(
    'DT010',
    'never-worked',
    'Code that no SDK release supports',
    'The member or option does not exist in any known SDK generation, so there is no behaviour to migrate. Decide what was meant.',
  ),
  rule(
    'DT011',
    'timeout-as-env',
    'A timeout in the place of the environment',
    'Since SDK 0.13 the third argument of executeCommand is env, so a number there sets no timeout and the command runs without one. Decide whether the limit was wanted.',
    {
      before: "await sandbox.process.executeCommand('npm test', undefined, 5);",
      after: "await sandbox.exec('npm test', { timeoutMs: 5_000 });",
    },
  ),
  rule(
    'DT012',
    'upload-argument-order',
    'Upload arguments in the order of SDK 0.17 and older',
    'Since 0.18 the source comes first. With the old order a Buffer or File is taken for the destination.',
    {
      before: "await sandbox.fs.uploadFile('/srv/a.txt', file);",
      after: "await sandbox.files.write('/srv/a.txt', data);",
    },
  ),
  rule(
    'DT013',
    'milliseconds-as-seconds',
    'Milliseconds passed where Daytona takes seconds or minutes',
    'The value is a thousand times too large, so the limit never acts. The migrated code would keep it; decide what was meant.',
  ),
  rule(
    'DT014',
    'image-or-snapshot',
    'Image and snapshot confused',
    'Both keys are strings with different meanings: image is a registry image that is built on the fly, snapshot names one that is ready. Before SDK 0.21 image named a snapshot.',
  ),

  rule(
    'DT101',
    'sdk-import',
    'Import of the Daytona SDK',
    'The import goes away, or becomes one of @cubeshift/sandbox (or of its drop-in, @cubeshift/sandbox/daytona).',
    {
      before: "import { Daytona } from '@daytonaio/sdk';",
      after: "import { createProvider } from '@cubeshift/sandbox';",
    },
  ),
  rule(
    'DT102',
    'sdk-type-import',
    'Type-only import of the Daytona SDK',
    'Disappears at run time, but the types it names must move.',
    {
      before: "import type { Sandbox } from '@daytonaio/sdk';",
      after: "import type { Sandbox } from '@cubeshift/sandbox';",
    },
  ),
  rule(
    'DT103',
    'import-type',
    'import("…") type of the Daytona SDK',
    'An inline type reference that import rewriting alone would miss.',
  ),
  rule(
    'DT104',
    'dynamic-import',
    'Dynamic import of the Daytona SDK',
    'Loaded at run time, often behind a flag or to keep start-up light.',
  ),
  rule('DT105', 'sdk-require', 'require() of the Daytona SDK', 'The CommonJS form of the import.'),
  rule(
    'DT106',
    're-export',
    'Re-export of the Daytona SDK',
    'Other modules reach the SDK through this one, so it is the place to switch.',
  ),
  rule(
    'DT107',
    'deep-import',
    'Deep import into the Daytona SDK',
    'Paths below the package root changed with every layout and are closed since 0.175.',
  ),
  rule(
    'DT108',
    'module-stub',
    'Ambient declaration of a Daytona module',
    'A declare module block hides the real types, so the compiler cannot see the couplings. Remove it after the migration.',
  ),
  rule(
    'DT109',
    'api-client-import',
    'Import of a generated Daytona API client',
    'Bypasses the SDK: REST models and calls with no counterpart elsewhere.',
  ),
  rule(
    'DT110',
    'wrapper-package',
    'A third-party package that wraps Daytona',
    'Not rewritten: replace it with the wrapper of the new backend, or with the provider interface.',
  ),
  rule(
    'DT111',
    'manifest-dependency',
    'Daytona package in a manifest',
    'Remove it when the last import is gone; add @cubeshift/sandbox and the SDK of the new backend.',
  ),
  rule(
    'DT112',
    'module-name',
    'A Daytona package named in build or runtime configuration',
    'Bundler externals, transpile lists and loaders that name the package must name the new one.',
  ),

  rule(
    'DT201',
    'client-construction',
    'Construction of a Daytona client',
    'Becomes the provider, chosen by configuration instead of by class.',
    {
      before: 'const daytona = new Daytona({ apiKey });',
      after: 'const provider = await createProvider();',
    },
  ),
  rule(
    'DT202',
    'client-option',
    'Option of the Daytona client',
    'Credentials and endpoints move to the provider configuration; regions have no counterpart.',
  ),
  rule(
    'DT203',
    'create-sandbox',
    'Creation of a sandbox',
    'Daytona starts from a snapshot or builds an image on the fly; E2B and Cube start from a template that exists beforehand.',
    {
      before: "await daytona.create({ snapshot: 'base', envVars });",
      after: "await provider.create({ template: 'base', env: envVars });",
    },
  ),
  rule(
    'DT204',
    'create-option',
    'Creation parameter',
    'Each parameter has its own counterpart, unit and loss.',
  ),
  rule(
    'DT205',
    'get-sandbox',
    'Lookup of a sandbox',
    'Daytona reads without side effects; E2B connect resumes and extends. The provider keeps the reading form.',
  ),
  rule(
    'DT206',
    'list-sandboxes',
    'Listing of sandboxes',
    'An array, then pages, then an async iterator by SDK generation; Cube listings need the ledger.',
  ),
  rule(
    'DT207',
    'client-lifecycle',
    'Lifecycle call through the client',
    'daytona.start/stop/delete(sandbox): the same verbs on the sandbox.',
  ),

  rule(
    'DT301',
    'lifecycle-call',
    'Lifecycle call on a sandbox',
    'Verbs differ in what survives: stop keeps the disk, pause also the memory, delete nothing.',
    { before: 'await sandbox.stop();', after: 'await sandbox.stop(); // disk kept, processes end' },
  ),
  rule(
    'DT302',
    'sandbox-property',
    'Property of a sandbox',
    'Daytona keeps a cached copy of the record on the object; the provider has info().',
  ),
  rule(
    'DT303',
    'sandbox-state',
    'Sandbox state',
    'Daytona has 22 states, E2B and Cube running and paused. Comparisons must be restated.',
  ),
  rule(
    'DT304',
    'lifecycle-interval',
    'Auto-stop, auto-archive, auto-delete or TTL interval',
    'Minutes of idleness kept by the Daytona server; elsewhere an absolute lifetime or the ledger.',
  ),
  rule(
    'DT305',
    'labels',
    'Sandbox labels',
    'Mutable and filterable on Daytona; fixed at creation on E2B and Cube.',
  ),
  rule(
    'DT306',
    'sandbox-snapshot',
    'Snapshot or fork of a sandbox',
    'What a snapshot holds (files, or files and memory) differs by backend.',
  ),
  rule(
    'DT307',
    'preview-link',
    'Preview link',
    'Daytona returns a URL and a token and is private by default; E2B returns a host and is public by default.',
    {
      before: 'const { url } = await sandbox.getPreviewLink(3000);',
      after: 'const { url } = await sandbox.portUrl(3000);',
    },
  ),
  rule('DT308', 'ssh-access', 'SSH access', 'No counterpart: use a PTY.'),
  rule(
    'DT309',
    'network-settings',
    'Network settings of a running sandbox',
    'Whole-policy replacement on the target.',
  ),
  rule('DT310', 'metrics', 'Sandbox metrics', 'Present on E2B, absent on Cube.'),
  rule(
    'DT311',
    'resize',
    'Resize of a sandbox',
    'Resources belong to the template on E2B and Cube.',
  ),
  rule(
    'DT312',
    'live-environment',
    'Change of environment or secrets at run time',
    'No counterpart: pass env per command.',
  ),
  rule(
    'DT313',
    'sandbox-directories',
    'Home or work directory lookup',
    'The target has another user and home.',
  ),
  rule(
    'DT314',
    'refresh',
    'Refresh of the cached record or of the idle timer',
    'refreshData becomes info(); refreshActivity becomes keepAlive().',
  ),
  rule(
    'DT315',
    'file-url',
    'Signed upload or download URL',
    'Present on E2B; without effect on Cube, which has no envd token.',
  ),

  rule(
    'DT401',
    'exec-command',
    'Command execution',
    'Never throws for a non-zero exit and has no default timeout; both are kept by exec(). Seconds become milliseconds.',
    {
      before: 'const r = await sandbox.process.executeCommand(cmd, cwd, undefined, 30);',
      after: 'const r = await sandbox.exec(cmd, { cwd, timeoutMs: 30_000 });',
    },
  ),
  rule(
    'DT402',
    'code-run',
    'Code execution',
    'The language is bound to the sandbox when it is created; elsewhere it belongs to the call.',
  ),
  rule(
    'DT403',
    'session',
    'Session (persistent shell)',
    'Commands of a session share a shell; E2B and Cube have background processes without shared state or log replay.',
  ),
  rule(
    'DT404',
    'session-logs',
    'Session logs',
    'Re-readable on Daytona; elsewhere output is streamed once.',
  ),
  rule(
    'DT405',
    'pty',
    'Pseudo-terminal',
    'Addressed by a name the caller chose; elsewhere by process id.',
  ),
  rule(
    'DT406',
    'result-field',
    'Field of a command result',
    'result holds both streams in arrival order; elsewhere stdout and stderr are separate.',
    { before: 'r.result', after: 'r.output' },
  ),
  rule(
    'DT407',
    'code-interpreter',
    'Code interpreter',
    'Needs a code-interpreter template on the target.',
  ),

  rule(
    'DT501',
    'upload',
    'Upload',
    'A string is a local path on Daytona and content elsewhere; the argument order is reversed.',
  ),
  rule('DT502', 'download', 'Download', 'A Buffer on Daytona, a string by default on E2B.', {
    before: "const data = await sandbox.fs.downloadFile('/tmp/a');",
    after: "const data = await sandbox.files.read('/tmp/a');",
  }),
  rule('DT503', 'file-operation', 'File operation', 'Names and failure behaviour differ.'),
  rule('DT504', 'file-search', 'Search in files', 'Server-side on Daytona; a command elsewhere.'),
  rule(
    'DT505',
    'file-field',
    'Field of a file record',
    'isDir, mode, owner and times have other names and types.',
  ),

  rule(
    'DT601',
    'git-call',
    'Git call',
    'Daytona brings its own git implementation; elsewhere the template must contain git.',
  ),
  rule('DT602', 'git-field', 'Field of a git result', 'Shape of the status and branch records.'),

  rule(
    'DT701',
    'volume',
    'Volume',
    'Shared storage: Cube has volumes since 0.6.0, mounted once per sandbox and without sub-paths.',
  ),
  rule(
    'DT703',
    'snapshot-service',
    'Snapshot service',
    'Daytona snapshots are what E2B and Cube call templates.',
  ),
  rule(
    'DT704',
    'image-builder',
    'Declarative image',
    'Built on the fly by Daytona; elsewhere a template is built beforehand.',
  ),
  rule('DT705', 'secret', 'Secret service', 'No counterpart on Cube.'),
  rule(
    'DT706',
    'warm-pool',
    'Warm pool',
    'No counterpart; Cube starts from a snapshot in well under a second.',
  ),
  rule(
    'DT707',
    'lsp',
    'Language server',
    'No counterpart: start the language server as a process.',
  ),
  rule('DT708', 'computer-use', 'Computer use', 'No counterpart in core E2B or Cube.'),
  rule('DT709', 'charts', 'Chart artefact', 'Comes from the code interpreter elsewhere.'),

  rule(
    'DT801',
    'type-reference',
    'Daytona type in a signature or declaration',
    'The place where the coupling spreads through the code.',
  ),
  rule(
    'DT802',
    'derived-type',
    'Type derived from a Daytona type',
    "Awaited<ReturnType<Daytona['create']>> and its kin break silently into any when the import is stubbed.",
  ),
  rule('DT803', 'error-class', 'Daytona error class', 'Becomes a SandboxError with a code.', {
    before: 'if (e instanceof DaytonaNotFoundError)',
    after: "if (isSandboxError(e) && e.code === 'not_found')",
  }),
  rule(
    'DT804',
    'error-text',
    'Matching on the text of a Daytona error',
    'Other backends use other words; match on the error code.',
  ),
  rule(
    'DT805',
    'error-status',
    'Matching on the HTTP status of a Daytona error',
    'Other backends answer with other statuses; match on the error code.',
  ),
  rule(
    'DT806',
    'test-mock',
    'Test double of the Daytona SDK',
    'Pins the old module name and result shapes.',
  ),
  rule(
    'DT807',
    'structural-type',
    'A local type shaped like Daytona',
    'Not linked to the SDK, so nothing breaks when the SDK goes; it silently stops matching.',
  ),
  rule(
    'DT808',
    'untyped-access',
    'Daytona call on an untyped value',
    'The name is distinctive but the type is any, so the place is not proven.',
  ),
  rule(
    'DT809',
    'enum-value',
    'Daytona constant or enumeration',
    'Its values are part of the Daytona wire protocol.',
  ),

  rule(
    'DT901',
    'env-variable',
    'Daytona environment variable',
    'Becomes the variable of the provider configuration.',
  ),
  rule(
    'DT902',
    'rest-call',
    'Call of the Daytona REST API',
    'Bypasses the SDK, so no import shows it.',
  ),
  rule(
    'DT903',
    'api-host',
    'Daytona host name',
    'Endpoints, allow-lists and content security policies that name it.',
  ),
  rule(
    'DT904',
    'preview-host',
    'Preview host pattern',
    'A host built or parsed by hand; E2B and Cube use <port>-<id>.<domain>.',
  ),
  rule(
    'DT905',
    'cli-call',
    'Daytona command line',
    'Scripts that build snapshots or manage sandboxes.',
  ),
  rule(
    'DT906',
    'image-name',
    'Daytona image',
    'Images that contain the Daytona toolbox; Cube templates need envd instead.',
  ),
  rule(
    'DT907',
    'home-path',
    'Path under /home/daytona',
    'The user and home do not exist on the target.',
  ),
  rule(
    'DT908',
    'embedded-code',
    'Daytona SDK code inside a string',
    'Code that is generated, sent or documented; no type reaches it.',
  ),
  rule('DT909', 'http-header', 'Daytona HTTP header', 'Preview tokens and organisation headers.'),
];

const BY_ID = new Map(RULES.map((r) => [r.id, r]));

/** Looks a rule up by id (`DT401`) or name (`exec-command`). */
export function findRule(text: string): Rule | undefined {
  return BY_ID.get(text.toUpperCase()) ?? RULES.find((r) => r.name === text.toLowerCase());
}

/** The rule with this id. @throws {Error} when an analyser names a rule that does not exist. */
export function ruleById(id: string): Rule {
  const found = BY_ID.get(id);
  if (found === undefined) throw new Error(`No rule ${id} in the catalogue`);
  return found;
}
