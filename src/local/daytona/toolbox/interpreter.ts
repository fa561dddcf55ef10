import { readJson } from '../../http/body.ts';
import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import type { UpgradeCall } from '../../http/server.ts';
import { acceptWebSocket, sendMessage, type WebSocket } from '../../http/websocket.ts';
import { type KernelContext, KernelInputError, UnknownContextError } from '../../kernels/index.ts';
import { badRequest, DaytonaFailure, notFound } from '../errors.ts';
import { checkEnv, fieldsOf, integer, text, textMap } from '../input.ts';
import type { Box } from './box.ts';
import type { BoxRoutes } from './route.ts';

/** Without a word from the client. */
const DEFAULT_TIMEOUT_S = 600;
/** Close codes: the service's own for a timeout, the standard ones for the rest. */
const TIMED_OUT = 4008;
const POLICY = 1008;
const INTERNAL = 1011;
const PROTOCOL = 1002;
/** A close reason has to fit into one control frame. */
const LONGEST_REASON = 120;

export function interpreterRoutes(routes: BoxRoutes): void {
  routes
    .on('GET /process/interpreter/context', (box) => json(200, { contexts: list(box) }))
    .on('POST /process/interpreter/context', create)
    .on('DELETE /process/interpreter/context/:cid', remove)
    .ws('/process/interpreter/execute', execute);
}

function list(box: Box): unknown[] {
  return box.kernels
    .list()
    .filter(({ isDefault }) => !isDefault)
    .map((context) => contextDto(box, context));
}

async function create(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const language = text(fields, 'language') ?? 'python';
  if (language !== 'python') {
    throw badRequest(`unsupported language: ${language} (only 'python' is supported currently)`);
  }
  const cwd = text(fields, 'cwd');
  const context = await box.kernels.createContext({
    language,
    ...(cwd === undefined || cwd === '' ? {} : { cwd: box.path(cwd) }),
  });
  return json(200, contextDto(box, context));
}

async function remove(box: Box, call: Call): Promise<Reply> {
  const id = call.params.cid ?? '';
  if (id === 'default') throw badRequest('cannot delete default context');
  try {
    await box.kernels.remove(id);
  } catch (error) {
    if (!(error instanceof UnknownContextError)) throw error;
    throw notFound(`context with ID '${id}' not found`);
  }
  return json(200, { message: 'Context deleted successfully' });
}

function contextDto(box: Box, context: KernelContext): Record<string, unknown> {
  return {
    id: context.id,
    cwd: context.cwd ?? box.workDir,
    createdAt: context.createdAt.toISOString(),
    active: true,
    language: context.language,
  };
}

interface Request {
  code: string;
  contextId: string | undefined;
  env: Record<string, string>;
  timeoutMs: number;
}

/** The first message says what to execute; what comes of it is sent as it comes. */
async function execute(box: Box, call: UpgradeCall): Promise<void> {
  const client = await acceptWebSocket(call);
  const first = await firstMessage(client);
  if (first === undefined) return;
  const request = requestOf(first);
  if (typeof request === 'string') {
    client.close(request === BROKEN ? PROTOCOL : POLICY, request.slice(0, LONGEST_REASON));
    return;
  }
  try {
    await run(box, client, request);
  } catch (error) {
    const isUnknown = error instanceof UnknownContextError;
    const reason = isUnknown ? `context not found: ${request.contextId}` : (error as Error).message;
    const code = isUnknown || error instanceof KernelInputError ? POLICY : INTERNAL;
    client.close(code, reason.slice(0, LONGEST_REASON));
  }
}

/** Goes on when the client goes away, as the daemon does: its timeout is what ends it. */
async function run(box: Box, client: WebSocket, request: Request): Promise<void> {
  const { contextId, code, env, timeoutMs } = request;
  const target = contextId === undefined ? { language: 'python' } : { contextId };
  const options = { env, timeoutMs };
  for await (const event of box.kernels.execute(target, code, options)) {
    if (event.type === 'stdout' || event.type === 'stderr') {
      await sendMessage(client, JSON.stringify({ type: event.type, text: event.text }));
    } else if (event.type === 'error') {
      const { name, value, traceback } = event;
      await sendMessage(client, JSON.stringify({ type: 'error', name, value, traceback }));
    } else if (event.type === 'end') {
      if (event.reason === 'timeout') return void client.close(TIMED_OUT);
      // What crashed has said so in an error.
      const text = event.reason === 'interrupted' ? 'interrupted' : 'completed';
      await sendMessage(client, JSON.stringify({ type: 'control', text }));
      client.close(1000);
    }
  }
}

const BROKEN = 'invalid JSON payload';

/** What to execute, or what is wrong with the message. */
function requestOf(message: string): Request | string {
  let body: unknown;
  try {
    body = JSON.parse(message);
  } catch {
    return BROKEN;
  }
  try {
    const fields = fieldsOf(body);
    const code = text(fields, 'code') ?? '';
    if (code === '') return 'code is required';
    const env = textMap(fields, 'envs') ?? {};
    checkEnv(env);
    const timeoutS = integer(fields, 'timeout') ?? DEFAULT_TIMEOUT_S;
    if (timeoutS < 0) return 'timeout must be greater than or equal to 0';
    return { code, contextId: text(fields, 'contextId'), env, timeoutMs: timeoutS * 1000 };
  } catch (error) {
    if (error instanceof DaytonaFailure) return error.message;
    throw error;
  }
}

function firstMessage(client: WebSocket): Promise<string | undefined> {
  return new Promise((resolve) => {
    client.once('message', (data) => resolve(`${data}`));
    client.once('close', () => resolve(undefined));
  });
}
