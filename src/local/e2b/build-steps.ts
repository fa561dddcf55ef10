import { posix } from 'node:path';
import { EngineError } from '../engine/errors.ts';
import type { Sandbox } from '../engine/sandbox.ts';
import type { Uploads } from '../uploads.ts';
import { rpcError } from './envd/connect-codec.ts';
import type { StartPoint } from './templates.ts';

/** A step as clients send it (`TemplateStep` of the OpenAPI document). */
export interface Step {
  type: string;
  args: readonly string[];
  filesHash: string | undefined;
}

/** What steps change besides files. */
export type Context = Pick<StartPoint, 'user' | 'workdir' | 'envs'>;

export interface StepTools {
  sandbox: Sandbox;
  /** Archives for the copying steps, by their hash. */
  uploads: Uploads;
  log(level: 'debug' | 'info' | 'error', message: string): void;
}

/** A step that failed, in words for the person whose build it is. */
export class StepError extends Error {
  override name = 'StepError';
}

/** Runs one step; the answer is the context of the next. @throws StepError */
export async function runStep(step: Step, context: Context, tools: StepTools): Promise<Context> {
  const [first = '', ...rest] = step.args;
  switch (step.type.toUpperCase()) {
    case 'RUN':
      if (first === '') throw new StepError('RUN requires command argument');
      await shell(tools, first, { ...context, user: rest[0] || context.user });
      return context;
    case 'ENV':
      return {
        ...context,
        envs: { ...context.envs, ...(await variables(step.args, tools, context)) },
      };
    case 'WORKDIR':
      return workdir(first, context, tools);
    case 'USER':
      return user(first, rest[0] === 'true', context, tools);
    case 'COPY':
    case 'ADD':
      await copy(step, context, tools);
      return context;
    default:
      throw new StepError(`command type ${step.type} is not supported`);
  }
}

/** Runs a command as builds do; what it prints goes to the log. */
export async function shell(
  { sandbox, log }: StepTools,
  command: string,
  { user, workdir, envs }: Context,
  args: readonly string[] = [],
): Promise<string> {
  const spawning = sandbox.spawn({
    argv: ['/bin/bash', '-l', '-c', command, 'step', ...args],
    user,
    env: envs,
    ...(workdir === undefined ? {} : { cwd: workdir }),
  });
  const process = await spawning.catch((error) => {
    if (!(error instanceof EngineError)) throw error;
    const { code, message } = rpcError(error);
    const reason = code === 'unauthenticated' ? `invalid username: '${user}'` : message;
    throw new StepError(`failed to run command '${command}': command failed: ${code}: ${reason}`);
  });
  const [stdout, stderr, exit] = await Promise.all([
    lines(process.stdout, (line) => log('info', `[stdout]: ${line}`)),
    lines(process.stderr, (line) => log('info', `[stderr]: ${line}`)),
    process.exit,
  ]);
  if (exit.exitCode === 0) return stdout;
  const said = stderr.trim().split('\n').slice(-3).join('\n');
  throw new StepError(
    `failed to run command '${command}': exit status ${exit.exitCode}${said === '' ? '' : `: ${said}`}`,
  );
}

async function lines(
  source: AsyncIterable<Buffer>,
  onLine: (line: string) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let all = '';
  let rest = '';
  for await (const chunk of source) {
    const text = decoder.decode(chunk, { stream: true });
    all += text;
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) onLine(line);
  }
  if (rest !== '') onLine(rest);
  return all;
}

const ROOT: Context = { user: 'root', workdir: '/', envs: {} };

/** Values may name other variables; nothing in them is run. */
async function variables(
  args: readonly string[],
  tools: StepTools,
  { envs }: Context,
): Promise<Record<string, string>> {
  if (args.length === 0 || args.length % 2 !== 0) {
    throw new StepError('ENV requires both a key and value arguments');
  }
  const found: Record<string, string> = {};
  for (let index = 0; index < args.length; index += 2) {
    const value = (args[index + 1] ?? '').replace(/[\\"`]|\$\(/g, (part) => `\\${part}`);
    const quiet = { ...tools, log: () => undefined };
    found[args[index] ?? ''] = await shell(quiet, `printf %s "${value}"`, { ...ROOT, envs });
  }
  return found;
}

const MAKE_WORKDIR = `[ -d "$1" ] && exit 0
new=$1; while [ ! -d "$(dirname "$new")" ]; do new=$(dirname "$new"); done
mkdir -p "$1" && chown -R "$2:" "$new"`;

async function workdir(path: string, context: Context, tools: StepTools): Promise<Context> {
  if (path === '') throw new StepError('WORKDIR requires a path argument');
  const absolute = posix.resolve(context.workdir ?? '/', path);
  await shell(tools, MAKE_WORKDIR, ROOT, [absolute, context.user]);
  return { ...context, workdir: absolute };
}

const MAKE_USER = `id -u "$1" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$1" || exit
[ "$2" = true ] || exit 0
echo "$1 ALL=(ALL:ALL) NOPASSWD: ALL" >> /etc/sudoers`;

async function user(
  name: string,
  isAdmin: boolean,
  context: Context,
  tools: StepTools,
): Promise<Context> {
  if (name === '') throw new StepError('USER requires a username argument');
  await shell(tools, MAKE_USER, ROOT, [name, `${isAdmin}`]);
  return { ...context, user: name };
}

/** A folder's contents are merged into the target; a file becomes the target or goes into it. */
const COPY = `set -e
trap 'rm -rf "$1" "$2"' EXIT
mkdir -p "$2" && tar -xzf "$1" -C "$2"
source="$2/$3"; target=$4
[ -e "$source" ] || [ -L "$source" ] || { echo "no files at $3" >&2; exit 1; }
[ -z "$5" ] || chown -hR "$5" "$source"
[ -z "$6" ] || chmod -R "$6" "$source"
if [ -d "$source" ] && [ ! -L "$source" ]; then
  mkdir -p "$target" && cp -a "$source/." "$target/"
else
  case $target in */) mkdir -p "$target";; *) mkdir -p "$(dirname "$target")";; esac
  cp -a "$source" "$target"
fi`;

async function copy(
  { args, filesHash, type }: Step,
  context: Context,
  tools: StepTools,
): Promise<void> {
  const [source = '', target = '', owner = '', mode = ''] = args;
  if (source === '' || target === '') {
    throw new StepError('COPY requires a local path and a container path argument');
  }
  const content = filesHash === undefined ? undefined : tools.uploads.read(filesHash);
  if (content === undefined) throw new StepError(`${type} requires files that were uploaded`);
  const archive = `/tmp/${filesHash}.tar`;
  await tools.sandbox.files.write(archive, content, { user: 'root' });
  const to = target.startsWith('/')
    ? target
    : `${posix.join(context.workdir ?? '/', target)}${target.endsWith('/') ? '/' : ''}`;
  const whose = owner === '' ? context.user : owner;
  await shell(tools, COPY, ROOT, [
    archive,
    `/tmp/${filesHash}.unpacked`,
    withoutPattern(source),
    to,
    whose.includes(':') ? whose : `${whose}:`,
    mode,
  ]);
}

/** The part before the first wildcard: the client chose the files already. */
function withoutPattern(source: string): string {
  const parts = posix.normalize(source).split('/');
  const wild = parts.findIndex((part) => /[*?[{]/.test(part));
  return (wild < 0 ? parts : parts.slice(0, wild)).join('/') || '.';
}
