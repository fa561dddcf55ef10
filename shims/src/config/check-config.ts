import { SandboxError } from '../provider/errors.ts';
import { checkProviderName } from '../provider/id.ts';
import { SandboxProvider } from '../provider/provider.ts';
import { BACKENDS, type SandboxConfig } from './settings.ts';

type Problem = (told: string) => SandboxError;

const KEYS = ['$schema', 'default', 'providers', 'rollout', 'unnamedIds'];

/**
 * A configuration as it was read, checked. `where` names the file, for errors.
 *
 * @throws {SandboxError} `configuration`
 */
export function checkConfig(value: unknown, where: string): SandboxConfig {
  const problem: Problem = (told) => new SandboxError('configuration', `${where}: ${told}`);
  if (!isRecord(value)) throw problem('expected an object with "default" in it');
  const unknown = Object.keys(value).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0)
    throw problem(`"${unknown[0]}" is unknown; there are ${KEYS.slice(1).join(', ')}`);
  const config = value as Partial<SandboxConfig>;
  if (typeof config.default !== 'string') throw problem('"default" has to name a provider');
  if (config.providers !== undefined && !isRecord(config.providers)) {
    throw problem('"providers" has to be an object, by name');
  }
  const providers = config.providers ?? {};
  for (const [name, settings] of Object.entries(providers)) {
    checkProviderName(name);
    if (isProvider(settings)) {
      if (settings.name === name) continue;
      throw problem(
        `the provider under "${name}" calls itself "${settings.name}": give it that name`,
      );
    }
    if (!isRecord(settings)) throw problem(`"providers.${name}" has to be an object`);
    const { use = name } = settings as { use?: string };
    if (!isBackend(use)) throw problem(unknownBackend(use, name));
  }
  const known = (name: string, what: string): void => {
    if (Object.hasOwn(providers, name) || isBackend(name)) return;
    throw problem(`${what} names the provider "${name}", which is not there. ${listed(providers)}`);
  };
  known(config.default, '"default"');
  if (config.unnamedIds !== undefined) known(config.unnamedIds, '"unnamedIds"');
  checkRollout(config.rollout, known, problem);
  return config as SandboxConfig;
}

/** The names there are. */
export function listed(providers: Readonly<Record<string, unknown>>): string {
  const names = new Set([...Object.keys(providers), ...BACKENDS]);
  return `There are ${[...names].map((name) => `"${name}"`).join(', ')}`;
}

export function isBackend(name: string): name is (typeof BACKENDS)[number] {
  return (BACKENDS as readonly string[]).includes(name);
}

/** Whether something is a provider, also one of another copy of this package. */
export function isProvider(value: unknown): value is SandboxProvider {
  if (value instanceof SandboxProvider) return true;
  return (
    isRecord(value) &&
    ['create', 'find', 'list', 'capabilities'].every((call) => typeof value[call] === 'function')
  );
}

function unknownBackend(use: string, name: string): string {
  const backends = BACKENDS.map((one) => `"${one}"`).join(', ');
  return use === name
    ? `"providers.${name}" has to say which backend it is, with "use": one of ${backends}`
    : `"providers.${name}" uses "${use}", which is none of ${backends}`;
}

function checkRollout(
  rollout: unknown,
  known: (name: string, what: string) => void,
  problem: Problem,
): void {
  if (rollout === undefined) return;
  if (!Array.isArray(rollout)) throw problem('"rollout" has to be a list');
  const sums = new Map<string, number>();
  for (const [i, rule] of (rollout as unknown[]).entries()) {
    const at = `"rollout[${i}]"`;
    if (!isRecord(rule)) throw problem(`${at} has to be an object`);
    const { provider, percent, key } = rule as Record<string, unknown>;
    if (typeof provider !== 'string') throw problem(`${at} has to name a provider`);
    known(provider, at);
    if (typeof key !== 'string' || key === '') throw problem(`${at} has to name a label, as "key"`);
    if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) {
      throw problem(`${at}: "percent" has to be a number from 0 to 100`);
    }
    const sum = (sums.get(key) ?? 0) + percent;
    sums.set(key, sum);
    if (sum > 100) throw problem(`the rules for "${key}" take ${sum} percent together`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
