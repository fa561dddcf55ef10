import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { findRule, RULES } from '../catalog/rules.ts';
import { parseTarget } from '../catalog/targets.ts';
import { JsoncError, parseJsonc } from '../jsonc.ts';
import { CONFIDENCES, type Confidence, type Finding } from '../model/finding.ts';
import { didYouMean } from './nearest.ts';
import {
  expected,
  isObject,
  listOf,
  oneOf,
  Problem,
  positiveInteger,
  type Read,
  text,
} from './read.ts';

/** Settings of a scan after defaults, configuration file and flags are merged. */
export interface ScanConfig {
  /** Target names as a user writes them, e.g. `cube`. */
  targets: string[];
  /** Patterns in `.gitignore` syntax, relative to the repository root. */
  ignore: string[];
  /** Rule ids switched off or explicitly on; a rule that is not listed is on. */
  rules: Record<string, 'on' | 'off'>;
  /** Findings less sure than this are left out of the report. */
  minConfidence: Confidence;
  /** The gate: findings this sure or surer fail the run. */
  failOn: Confidence | 'none';
  /** Absolute path of the baseline file, or null. */
  baseline: string | null;
  /** Larger files are not read; they are reported as skipped. */
  maxFileSizeBytes: number;
}

/** A configuration and where it was found. */
export interface LoadedConfig {
  config: ScanConfig;
  /** Absolute path of the file, or null when only defaults apply. */
  source: string | null;
}

/** A configuration file that cannot be used. The message names the file, the key and the remedy. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Name of the configuration file; package.json may hold the same settings under `cubeshift`. */
const CONFIG_FILE = 'cubeshift.config.json';
const PACKAGE_KEY = 'cubeshift';

/** What applies where nothing is configured. */
export const DEFAULT_CONFIG: Readonly<ScanConfig> = {
  targets: ['cube'],
  ignore: [],
  rules: {},
  minConfidence: 'possible',
  failOn: 'likely',
  baseline: null,
  maxFileSizeBytes: 4 * 1024 * 1024,
};

/** A configuration file and its name in messages. */
interface ConfigFile {
  path: string;
  shown: string;
}

const READERS: { [K in keyof ScanConfig]: Read<ScanConfig[K]> } = {
  targets: listOf(targetName),
  ignore: listOf(text),
  rules: ruleSwitches,
  minConfidence: oneOf(CONFIDENCES),
  failOn: oneOf([...CONFIDENCES, 'none']),
  baseline: text,
  maxFileSizeBytes: positiveInteger,
};

/** Every key a configuration file may have, besides `$schema`. */
export const CONFIG_KEYS = Object.keys(READERS) as readonly (keyof ScanConfig)[];

/**
 * Finds and reads the configuration: `explicit` when given, else the nearest `cubeshift.config.json`
 * or package.json with a `cubeshift` key, from `cwd` upwards to the git root.
 * @throws {ConfigError}
 */
export function loadConfig(cwd: string, explicit?: string): LoadedConfig {
  if (explicit !== undefined) {
    const file = configFile(cwd, resolve(cwd, explicit));
    if (!existsSync(file.path)) throw new ConfigError(`No such configuration file: ${explicit}`);
    return load(file, readObject(file));
  }
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const found = loadFolder(cwd, dir);
    if (found !== undefined) return found;
    if (existsSync(join(dir, '.git')) || dirname(dir) === dir) break;
  }
  return { config: structuredClone(DEFAULT_CONFIG), source: null };
}

/** True when the configuration wants to hear of such a finding. */
export function isSelected(
  finding: Pick<Finding, 'rule' | 'confidence'>,
  config: Pick<ScanConfig, 'rules' | 'minConfidence'>,
): boolean {
  if (config.rules[finding.rule] === 'off') return false;
  return CONFIDENCES.indexOf(finding.confidence) <= CONFIDENCES.indexOf(config.minConfidence);
}

function configFile(cwd: string, path: string): ConfigFile {
  return { path, shown: relative(cwd, path) };
}

function loadFolder(cwd: string, dir: string): LoadedConfig | undefined {
  const file = configFile(cwd, join(dir, CONFIG_FILE));
  if (existsSync(file.path)) return load(file, readObject(file));
  const manifest = configFile(cwd, join(dir, 'package.json'));
  if (!existsSync(manifest.path)) return undefined;
  const settings = packageSettings(manifest);
  return settings && load(manifest, settings, `${PACKAGE_KEY}.`);
}

/** The `cubeshift` key of a package.json. A broken manifest is not ours to complain about. */
function packageSettings(manifest: ConfigFile): Record<string, unknown> | undefined {
  let parsed: unknown;
  try {
    parsed = parseJsonc(readFileSync(manifest.path, 'utf8'));
  } catch {
    return undefined;
  }
  if (!isObject(parsed) || !Object.hasOwn(parsed, PACKAGE_KEY)) return undefined;
  const settings = parsed[PACKAGE_KEY];
  if (isObject(settings)) return settings;
  throw new ConfigError(`${manifest.shown}: ${PACKAGE_KEY}: ${expected('an object', settings)}.`);
}

function readObject(file: ConfigFile): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = parseJsonc(readFileSync(file.path, 'utf8'));
  } catch (error) {
    if (error instanceof JsoncError) {
      throw new ConfigError(`${file.shown}:${error.line}:${error.column}: ${error.message}.`);
    }
    const code = (error as NodeJS.ErrnoException).code;
    throw new ConfigError(`${file.shown}: cannot be read (${code}).`);
  }
  if (isObject(parsed)) return parsed;
  throw new ConfigError(`${file.shown}: ${expected('an object', parsed)}.`);
}

/** Checks the settings of one file and lays them over the defaults. */
function load(file: ConfigFile, settings: Record<string, unknown>, prefix = ''): LoadedConfig {
  const config: ScanConfig = structuredClone(DEFAULT_CONFIG);
  for (const [key, value] of Object.entries(settings)) {
    if (key === '$schema') continue;
    try {
      if (!isConfigKey(key)) {
        const hint = didYouMean(key, CONFIG_KEYS);
        throw new Problem(key, `unknown key.${hint} Allowed: ${CONFIG_KEYS.join(', ')}.`);
      }
      assign(config, key, value);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new ConfigError(`${file.shown}: ${prefix}${error.at}: ${error.message}`);
    }
  }
  if (config.baseline !== null) config.baseline = resolve(dirname(file.path), config.baseline);
  return { config, source: file.path };
}

function assign<K extends keyof ScanConfig>(config: ScanConfig, key: K, value: unknown): void {
  config[key] = READERS[key](value, key);
}

function isConfigKey(key: string): key is keyof ScanConfig {
  return Object.hasOwn(READERS, key);
}

function targetName(value: unknown, at: string): string {
  const name = text(value, at);
  try {
    parseTarget(name);
  } catch (error) {
    throw new Problem(at, (error as Error).message);
  }
  return name;
}

function ruleSwitches(value: unknown, at: string): Record<string, 'on' | 'off'> {
  if (!isObject(value))
    throw new Problem(at, `${expected('an object like { "DT907": "off" }', value)}.`);
  const switches: Record<string, 'on' | 'off'> = {};
  for (const [name, state] of Object.entries(value)) {
    const rule = findRule(name);
    if (rule === undefined) {
      const ids = RULES.flatMap(({ id, name: alias }) => [id, alias]);
      throw new Problem(
        `${at}.${name}`,
        `unknown rule.${didYouMean(name, ids)} "cubeshift rules" lists all rules.`,
      );
    }
    switches[rule.id] = oneOf(['on', 'off'] as const)(state, `${at}.${name}`);
  }
  return switches;
}
