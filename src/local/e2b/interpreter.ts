import { json, plain, type Reply } from '../http/reply.ts';
import type { Call } from '../http/router.ts';
import {
  InterpreterMissingError,
  type KernelContext,
  type KernelEvent,
  KernelInputError,
  UnknownContextError,
  UnsupportedLanguageError,
} from '../kernels/index.ts';
import { within } from '../within.ts';
import { readFields } from './body.ts';
import { ConnectionReset } from './envd/connect-codec.ts';
import type { SandboxHandler } from './envd/handler.ts';
import { ShapeError, SyntaxFailure } from './errors.ts';
import { lineOf } from './interpreter-lines.ts';
import type { LiveSandbox } from './live-sandbox.ts';

/** A silent execution sends a line every so often, to notice that its client went away. */
const KEEPALIVE_MS = 5000;
const HOME = '/home/user';

/** The code interpreter inside a sandbox (server in `e2b-dev/code-interpreter` template/server). */
export const INTERPRETER_ROUTES: Readonly<Record<string, SandboxHandler>> = {
  'GET /health': () => json(200, 'OK'),
  'POST /execute': (call, sandbox) => attempt(() => execute(call, sandbox)),
  'GET /contexts': (_call, sandbox) => {
    defaults(sandbox);
    return json(200, sandbox.kernels.list().map(shape));
  },
  'POST /contexts': (call, sandbox) =>
    attempt(async () => {
      const body = await readFields(call, { optional: true });
      const language = body.optionalString('language');
      defaults(sandbox);
      const context = await sandbox.kernels.createContext({
        ...(language === undefined ? {} : { language }),
        cwd: body.optionalString('cwd') ?? HOME,
      });
      return json(200, shape(context));
    }),
  'POST /contexts/:id/restart': ({ params }, sandbox) =>
    attempt(async () => {
      defaults(sandbox);
      await sandbox.kernels.restart(params.id ?? '');
      return json(200, null);
    }),
  'DELETE /contexts/:id': ({ params }, sandbox) =>
    attempt(async () => {
      defaults(sandbox);
      await sandbox.kernels.remove(params.id ?? '');
      return json(200, null);
    }),
};

/** FastAPI's answers to paths and methods it does not have. */
export function noInterpreterRoute(isWrongMethod: boolean): Reply {
  return isWrongMethod
    ? json(405, { detail: 'Method Not Allowed' })
    : json(404, { detail: 'Not Found' });
}

/** These two are there from the start. */
function defaults({ kernels }: LiveSandbox): void {
  kernels.defaultContext('python');
  kernels.defaultContext('javascript');
}

function shape({ id, language, cwd }: KernelContext): object {
  return { id, language, cwd: cwd ?? HOME };
}

async function execute(call: Call, sandbox: LiveSandbox): Promise<Reply> {
  const body = await readFields(call);
  const code = body.string('code');
  const contextId = body.optionalString('context_id') || undefined;
  const language = body.optionalString('language') || undefined;
  const env = body.map('env_vars');
  if (contextId !== undefined && language !== undefined) {
    return plain(400, 'Only one of context_id or language can be provided');
  }
  defaults(sandbox);
  const target =
    contextId === undefined ? (language === undefined ? {} : { language }) : { contextId };
  // A client that goes away interrupts its code, and so does the end of the sandbox.
  const stop = AbortSignal.any([call.signal, sandbox.connections]);
  const events = sandbox.kernels.execute(target, code, {
    signal: stop,
    ...(env === undefined ? {} : { env }),
  });
  // A kernel that cannot start has a status of its own, if it says so in time.
  const first = events.next();
  await within(first, KEEPALIVE_MS);
  return {
    status: 200,
    headers: { 'content-type': 'application/octet-stream' },
    body: lines(first, events, sandbox.connections),
  };
}

async function* lines(
  first: Promise<IteratorResult<KernelEvent>>,
  events: AsyncIterableIterator<KernelEvent>,
  cut: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let next = first;
  for (;;) {
    const result = await within(next, KEEPALIVE_MS);
    if (cut.aborted) throw new ConnectionReset('the sandbox went away');
    if (result === undefined) {
      yield `${JSON.stringify({ type: 'keepalive' })}\n`;
      continue;
    }
    if (result.done === true) break;
    next = events.next();
    const line = lineOf(result.value);
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
  yield `${JSON.stringify({ type: 'end_of_execution' })}\n`;
}

async function attempt(handle: () => Promise<Reply>): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof UnknownContextError) {
      return plain(404, `Context ${error.contextId} not found`);
    }
    if (error instanceof ShapeError || error instanceof SyntaxFailure) {
      return json(422, { detail: [{ loc: ['body'], msg: error.message, type: 'value_error' }] });
    }
    const isOurs =
      error instanceof UnsupportedLanguageError ||
      error instanceof InterpreterMissingError ||
      error instanceof KernelInputError ||
      (error as Error).name === 'KernelStartError';
    if (isOurs) return plain(500, (error as Error).message);
    throw error;
  }
}
