/**
 * What a file that is not TypeScript or JavaScript is, as far as its text couplings are concerned.
 * `data` is anything nobody would edit to migrate: fixtures, snapshots, pages, exports.
 */
export type TextKind =
  | 'lockfile'
  | 'package-json'
  | 'docs'
  | 'env'
  | 'config'
  | 'json-config'
  | 'requirements'
  | 'python'
  | 'script'
  | 'data';

const LOCKFILE =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|(?:poetry|uv|pdm|pixi)\.lock|pipfile\.lock|cargo\.lock|go\.(?:sum|work\.sum)|gemfile\.lock|composer\.lock)$/;
const ENV_FILE = /^(?:.*\.)?env(?:rc)?(?:[.-][\w.-]+)?$|^\.dev\.vars|^env[._-](?:example|sample)/;
const DOCS =
  /\.(?:mdx?|mdc|markdown|rst|adoc|txt|org)$|^(?:readme|changelog|license|contributing|notice)$|^\.(?:cursorrules|windsurfrules)$/;
const REQUIREMENTS =
  /^(?:requirements[\w.-]*\.(?:txt|in)|pyproject\.toml|pipfile|setup\.cfg|environment\.ya?ml|go\.mod)$/;
const CONFIG_NAME =
  /^(?:.*\.)?(?:dockerfile|containerfile)(?:\..*)?$|^(?:makefile|gnumakefile|caddyfile|procfile|jenkinsfile|justfile|taskfile|vagrantfile|tiltfile|brewfile|\.npmrc|\.yarnrc|\.dockerignore|\.gitlab-ci)(?:\..*)?$/;
const CONFIG_EXTENSION =
  /\.(?:ya?ml|toml|tf|tfvars|hcl|ini|cfg|conf|properties|mk|nix|sh|bash|zsh|fish|ps1|psm1|bat|cmd|plist|service|tpl|gradle|cue|dhall)$/;
const JSON_CONFIG =
  /^(?:(?:turbo|vercel|nx|project|app|now|deno|biome|nest-cli|angular|lerna|fly|renovate|wrangler|components|netlify|railway|render|task-definition|settings|launch|tasks|mcp|claude_desktop_config|devcontainer|\.devcontainer|\.mcp|\.babelrc|\.swcrc|\.eslintrc|\.renovaterc|\.knip|knip|jest|vitest|langgraph|firebase|serverless|ecosystem)(?:\.[\w.-]+)?\.jsonc?|[tj]sconfig[\w.-]*\.json|[\w.-]*\.config\.jsonc?)$/;
const SCRIPT =
  /\.(?:vue|svelte|astro|go|rb|java|kt|kts|rs|php|cs|swift|scala|ex|exs|lua|dart|pl|r|groovy|clj)$/;

/** Decides by name, and by the first line for files without an extension. */
export function textKind(path: string, text: string): TextKind {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (LOCKFILE.test(name)) return 'lockfile';
  if (name === 'package.json') return 'package-json';
  if (REQUIREMENTS.test(name)) return 'requirements';
  if (ENV_FILE.test(name)) return 'env';
  if (DOCS.test(name)) return 'docs';
  if (/\.pyi?$/.test(name)) return 'python';
  if (CONFIG_NAME.test(name) || CONFIG_EXTENSION.test(name)) return 'config';
  if (JSON_CONFIG.test(name)) return 'json-config';
  if (SCRIPT.test(name)) return 'script';
  if (!name.includes('.', 1) && text.startsWith('#!')) {
    return /python/.test(text.slice(0, text.indexOf('\n'))) ? 'python' : 'config';
  }
  return 'data';
}
