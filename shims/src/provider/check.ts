import type { Capabilities } from './capabilities.ts';
import type { CreateOptions } from './create.ts';
import { SandboxError } from './errors.ts';
import type { CommandOptions } from './process.ts';

/** Longest time that timers can wait: above it they fire at once. */
const LONGEST_MS = 2 ** 31 - 1;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Refuses what no backend can run, before anything is sent. */
export function checkCommand(command: string, { env, timeoutMs }: CommandOptions): void {
  if (typeof command !== 'string' || command.trim() === '') {
    throw invalid('The command is empty');
  }
  if (command.includes('\0')) throw invalid('The command contains a NUL character');
  checkEnv(env);
  if (timeoutMs !== undefined) checkTime('timeoutMs', timeoutMs);
}

/** @throws {SandboxError} `invalid_argument` unless it is a time that can be waited for */
export function checkTime(name: string, ms: number): void {
  if (typeof ms === 'number' && ms > 0 && ms <= LONGEST_MS) return;
  throw invalid(`${name} is ${ms}: give milliseconds, at least 1 and at most ${LONGEST_MS}`);
}

export function checkEnv(env: Readonly<Record<string, string>> | undefined): void {
  for (const [name, value] of Object.entries(env ?? {})) {
    if (!ENV_NAME.test(name)) throw invalid(`"${name}" cannot name an environment variable`);
    if (typeof value !== 'string') throw invalid(`The variable ${name} is not a string`);
    if (value.includes('\0')) throw invalid(`The variable ${name} contains a NUL character`);
  }
}

/** How many levels of folders a list goes down. */
export function checkDepth(depth: number): void {
  if (Number.isInteger(depth) && depth > 0) return;
  throw invalid(`depth is ${depth}: give a whole number from 1 on`);
}

export function checkPort(port: number): void {
  if (Number.isInteger(port) && port > 0 && port < 65_536) return;
  throw invalid(`${port} is not a port: give a whole number from 1 to 65535`);
}

/** Refuses what cannot be created at all, then what this backend cannot create. */
export function checkCreate(
  provider: string,
  options: CreateOptions,
  capabilities: Capabilities,
): void {
  checkEnv(options.env);
  for (const [key, value] of Object.entries(options.labels ?? {})) {
    if (typeof value !== 'string') throw invalid(`The label ${key} is not a string`);
    if (key.startsWith(OWN_LABELS)) {
      throw invalid(`The label ${key} starts with "${OWN_LABELS}", which is kept for this package`);
    }
  }
  for (const name of ['idleTimeoutMs', 'lifetimeMs'] as const) {
    const ms = options[name];
    if (ms === undefined || (name === 'idleTimeoutMs' && ms === null)) continue;
    if (!(typeof ms === 'number' && ms > 0)) {
      throw invalid(
        `${name} is ${ms}: give milliseconds${name === 'lifetimeMs' ? '' : ', or null for never'}`,
      );
    }
  }
  checkMounts(options);
  checkSupport(provider, options, capabilities);
}

/** Labels with this prefix are the package's own, and are not shown. */
export const OWN_LABELS = 'cubeshift-';

function checkMounts({ volumes = [] }: CreateOptions): void {
  const paths = new Set<string>();
  for (const { volume, path } of volumes) {
    if (volume === '') throw invalid('A volume in volumes has no name');
    if (!path.startsWith('/') || path.split('/').includes('..')) {
      throw invalid(`The volume ${volume} is mounted on "${path}": give an absolute path`);
    }
    if (paths.has(path)) throw invalid(`Two volumes are mounted on ${path}`);
    paths.add(path);
  }
}

function checkSupport(provider: string, options: CreateOptions, capabilities: Capabilities): void {
  const { idlePolicy, lifetime, names, volumes, network, users } = capabilities;
  const need = (is: boolean, what: string, note: string | undefined): void => {
    if (is) return;
    const told = `${provider} does not support ${what}.${note === undefined ? '' : ` ${note}`}`;
    throw new SandboxError('unsupported', told, { provider });
  };
  const has = (one: { support: string }): boolean => one.support !== 'unsupported';
  const { onIdle, idleTimeoutMs } = options;
  const asksForIdle = onIdle !== undefined || typeof idleTimeoutMs === 'number';
  if (asksForIdle) need(has(idlePolicy), 'idle policies', idlePolicy.note);
  if (onIdle !== undefined && idleTimeoutMs !== null) {
    const possible = idlePolicy.actions.map((action) => `"${action}"`).join(' or ');
    need(idlePolicy.actions.includes(onIdle), `onIdle: "${onIdle}"`, `Use ${possible}.`);
  }
  if (idleTimeoutMs !== undefined) checkWindow(provider, idleTimeoutMs, idlePolicy);
  if (options.lifetimeMs !== undefined) {
    need(has(lifetime), 'lifetimeMs', lifetime.note);
    checkMost(provider, 'lifetimeMs', options.lifetimeMs, lifetime.maxMs);
  }
  if (options.name !== undefined) need(has(names), 'names', names.note);
  if (options.user !== undefined) need(has(users), 'accounts', users.note);
  if (options.network !== undefined) need(has(network), 'network rules', network.note);
  for (const { volume, subpath, readOnly } of options.volumes ?? []) {
    const { note } = volumes;
    need(has(volumes), 'volumes', note);
    const part = note ?? 'Mount all of it, and use the folder in it.';
    if (subpath !== undefined) need(volumes.subpath, `a subpath of the volume ${volume}`, part);
    const open = note ?? 'Mount it without readOnly, and give it back as it was.';
    if (readOnly === true) need(volumes.readOnly, `the volume ${volume} read-only`, open);
  }
}

function checkWindow(
  provider: string,
  ms: number | null,
  { minMs, maxMs }: Capabilities['idlePolicy'],
): void {
  if (ms === null) {
    if (maxMs === null) return;
    const most = `${provider} ends idle sandboxes after ${maxMs} ms at most`;
    throw new SandboxError('unsupported', `${most}: idleTimeoutMs cannot be null`, { provider });
  }
  if (ms < minMs) {
    throw invalid(`idleTimeoutMs is ${ms}: ${provider} needs at least ${minMs} ms`);
  }
  checkMost(provider, 'idleTimeoutMs', ms, maxMs);
}

function checkMost(provider: string, name: string, ms: number, maxMs: number | null): void {
  if (maxMs === null || ms <= maxMs) return;
  throw new SandboxError('unsupported', `${name} is ${ms}: ${provider} allows ${maxMs} at most`, {
    provider,
  });
}

function invalid(message: string): SandboxError {
  return new SandboxError('invalid_argument', message);
}
