import { chmodSync, readFileSync } from 'node:fs';
import { JsoncError, parseJsonc } from '../../jsonc.ts';
import { CUBE_VERSIONS } from '../../local/e2b/index.ts';
import { EngineError } from '../../local/engine/errors.ts';
import type { FaultPlan } from '../../local/faults/faults.ts';
import { FaultPlanError, readFaultFlag, readFaultPlan } from '../../local/faults/plan.ts';
import { isLoopback } from '../../local/http/guard.ts';
import { type LocalOptions, type LocalServer, startLocal } from '../../local/start.ts';
import { systemReason, UsageError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { writeFile, writeStderr, writeStdout } from '../output.ts';
import { asExports, cannotListen, runCommand, StopSignal } from '../serve.ts';

export interface LocalFlags {
  flavor: 'cube' | 'e2b';
  cubeVersion?: string;
  port: number;
  daytonaPort: number;
  host: string;
  domain?: string;
  allowHost?: string[];
  isolation: NonNullable<LocalOptions['isolation']>;
  network: NonNullable<LocalOptions['network']>;
  dir?: string;
  faults?: string;
  fault?: string[];
  seed?: number;
  writeEnv?: string;
  json?: boolean;
  quiet?: boolean;
  debug?: boolean;
}

/** A secret from outside, so that a restart does not change it. An argument would show in `ps`. */
const KEY_VARIABLE = 'CUBESHIFT_LOCAL_KEY';

/** A host name, with a port or without. */
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;

/**
 * Runs `cubeshift local`: until a signal, or around a command, whose exit code becomes its own.
 * @throws {UsageError}
 */
export async function runLocal(command: readonly string[], flags: LocalFlags): Promise<number> {
  const options = optionsOf(flags);
  const stop = new StopSignal();
  const server = await start(options);
  try {
    if (!flags.quiet) describe(server, flags);
    const env = { ...server.e2b.env, ...server.daytona.env };
    if (flags.writeEnv !== undefined) writeEnvFile(flags.writeEnv, env);
    if (command.length > 0) return await runCommand(command, env, stop);
    await writeStdout(flags.json ? asJson(server) : asExports(env));
    if (!flags.quiet) writeStderr('Ready. Ctrl-C stops it and removes every sandbox.');
    await stop.received;
    return EXIT.ok;
  } finally {
    stop.forget();
    await server.close();
  }
}

function optionsOf(flags: LocalFlags): LocalOptions {
  const cubeVersion = CUBE_VERSIONS.find((version) => version === flags.cubeVersion);
  if (flags.cubeVersion !== undefined) {
    if (cubeVersion === undefined) {
      throw new UsageError(
        `CubeSandbox ${flags.cubeVersion} is not imitated; there are ${CUBE_VERSIONS.join(', ')}.`,
      );
    }
    if (flags.flavor === 'e2b') throw new UsageError('--cube-version goes with --flavor cube.');
  }
  if (flags.domain !== undefined && !DOMAIN.test(flags.domain)) {
    throw new UsageError(`--domain takes a host name, not "${flags.domain}".`);
  }
  const key = process.env[KEY_VARIABLE];
  if (key !== undefined && !/^[\x21-\x7e]{16,}$/.test(key)) {
    throw new UsageError(`${KEY_VARIABLE} must be 16 or more visible ASCII characters.`);
  }
  return {
    flavor: flags.flavor,
    ...(cubeVersion === undefined ? {} : { cubeVersion }),
    host: flags.host,
    allowedHosts: flags.allowHost ?? [],
    ...(flags.domain === undefined ? {} : { domain: flags.domain }),
    e2bPort: flags.port,
    daytonaPort: flags.daytonaPort,
    ...(key === undefined ? {} : { key }),
    isolation: flags.isolation,
    network: flags.network,
    ...(flags.dir === undefined ? {} : { dir: flags.dir }),
    faults: faultsOf(flags),
    onError: (error) => {
      const debug = flags.debug === true && error instanceof Error;
      writeStderr(`server error: ${debug ? error.stack : systemReason(error)}`);
    },
  };
}

function faultsOf({ faults, fault = [], seed }: LocalFlags): FaultPlan {
  try {
    const plan =
      faults === undefined ? {} : readFaultPlan(parseJsonc(readFileSync(faults, 'utf8')));
    return {
      ...plan,
      ...(seed === undefined ? {} : { seed }),
      rules: [...(plan.rules ?? []), ...fault.map(readFaultFlag)],
    };
  } catch (error) {
    if (error instanceof FaultPlanError) throw new UsageError(`Faults: ${error.message}`);
    const place = error instanceof JsoncError ? `:${error.line}:${error.column}` : '';
    throw new UsageError(`Cannot read faults ${faults}${place}: ${systemReason(error)}`);
  }
}

async function start(options: LocalOptions): Promise<LocalServer> {
  try {
    return await startLocal(options);
  } catch (error) {
    if (error instanceof EngineError || error instanceof FaultPlanError) {
      throw new UsageError(error.message, { cause: error });
    }
    const refused = cannotListen(error, options.host, '--port and --daytona-port');
    if (refused !== undefined) throw refused;
    const { syscall } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) {
      throw new UsageError(`Cannot use the folder for sandboxes: ${systemReason(error)}.`);
    }
    throw error;
  }
}

function describe({ e2b, daytona, isolation }: LocalServer, flags: LocalFlags): void {
  writeStderr('A development server, not a microVM: it runs commands on this machine.');
  writeStderr(`  ${e2b.preset}  ${e2b.url}, template ${e2b.templateId}`);
  writeStderr(`  daytona  ${daytona.url}`);
  writeStderr(`Sandboxes: ${isolation.mode} (${isolation.reason})`);
  for (const limit of isolation.limits) writeStderr(`  - ${limit}`);
  if (!isLoopback(flags.host)) {
    writeStderr(`warning: whoever reaches ${flags.host} and has a key can run commands here.`);
  }
}

function asJson({ e2b, daytona, isolation }: LocalServer): string {
  return `${JSON.stringify({ e2b, daytona, isolation }, null, 2)}\n`;
}

/** In the form of a .env file; it holds the keys, so nobody else may read it. */
function writeEnvFile(path: string, env: Readonly<Record<string, string>>): void {
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  writeFile(path, lines.join(''));
  chmodSync(path, 0o600);
}
