import type { IncomingMessage } from 'node:http';
import { readJson } from '../../http/body.ts';
import { empty, json, plain, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import type { UpgradeCall } from '../../http/server.ts';
import { acceptWebSocket, sendMessage } from '../../http/websocket.ts';
import { badRequest } from '../errors.ts';
import { fieldsOf, flag, needText, text } from '../input.ts';
import { isOlder, sdkVersion } from '../sdk-version.ts';
import type { Box } from './box.ts';
import { split, unmarked, unmarker } from './log-format.ts';
import type { BoxRoutes } from './route.ts';
import { exitCodeOf, type Session, type SessionCommand } from './session.ts';
import { commandView, ENTRYPOINT, ENTRYPOINT_COMMAND } from './session-store.ts';

/** From here on logs are taken apart by the daemon; before, by the client. */
const SPLIT_BY_SERVER = [0, 167, 0];

export function sessionRoutes(routes: BoxRoutes): void {
  const entrypoint = { sid: ENTRYPOINT, cid: ENTRYPOINT_COMMAND };
  routes
    .on('POST /process/session', create)
    .on('GET /process/session', (box) => json(200, box.sessions.list()))
    .on('GET /process/session/entrypoint', (box) => json(200, box.sessions.view(ENTRYPOINT)))
    .on('GET /process/session/entrypoint/logs', (box, call) =>
      logs(box, { ...call, params: { ...call.params, ...entrypoint } }),
    )
    .on('GET /process/session/:sid', (box, { params }) =>
      json(200, box.sessions.view(params.sid ?? '')),
    )
    .on('DELETE /process/session/:sid', async (box, { params }) => {
      await box.sessions.delete(params.sid ?? '');
      return empty(204);
    })
    .on('POST /process/session/:sid/exec', execute)
    .on('GET /process/session/:sid/command/:cid', (box, call) =>
      json(200, commandView(found(box, call).command)),
    )
    .on('GET /process/session/:sid/command/:cid/logs', logs)
    .on('POST /process/session/:sid/command/:cid/input', input)
    .ws('/process/session/entrypoint/logs', (box, call) =>
      stream(box, { ...call, params: { ...call.params, ...entrypoint } }),
    )
    .ws('/process/session/:sid/command/:cid/logs', stream);
}

function found(box: Box, { params }: Call): { session: Session; command: SessionCommand } {
  const session = box.sessions.need(params.sid ?? '');
  return { session, command: session.need(params.cid ?? '') };
}

async function create(box: Box, call: Call): Promise<Reply> {
  await box.sessions.create(needText(fieldsOf(await readJson(call.request)), 'sessionId'));
  return empty(201);
}

async function execute(box: Box, call: Call): Promise<Reply> {
  if (call.params.sid === ENTRYPOINT) {
    throw badRequest("can't execute command in entrypoint session");
  }
  const fields = fieldsOf(await readJson(call.request));
  const command = text(fields, 'command') ?? '';
  if (command.trim() === '') throw badRequest('command cannot be empty');
  // `async` is what it was called first.
  const isAsync = flag(fields, 'runAsync') === true || flag(fields, 'async') === true;
  const session = box.sessions.need(call.params.sid ?? '');
  const suppressInputEcho = flag(fields, 'suppressInputEcho') ?? false;
  const running = await session.execute(command, { isAsync, suppressInputEcho });
  if (isAsync) return json(202, { cmdId: running.id });
  await running.ended;
  const exitCode = exitCodeOf(running);
  const log = await session.log(running);
  if (isCombined(call.request)) {
    return json(200, { cmdId: running.id, output: unmarked(log).toString('utf8'), exitCode });
  }
  return json(200, { cmdId: running.id, ...split(log), exitCode });
}

async function logs(box: Box, call: Call): Promise<Reply> {
  if (isDefaultEntrypoint(box, call)) return json(200, split(Buffer.alloc(0)));
  const { session, command } = found(box, call);
  const log = await session.log(command);
  if (isCombined(call.request)) return plain(200, unmarked(log).toString('utf8'));
  const version = sdkVersion(call.request);
  if (version !== undefined && isOlder(version, SPLIT_BY_SERVER)) {
    return plain(200, log.toString('utf8'));
  }
  return json(200, split(log));
}

async function input(box: Box, call: Call): Promise<Reply> {
  if (call.params.sid === ENTRYPOINT) throw badRequest("can't send input to entrypoint session");
  const { session, command } = found(box, call);
  const data = text(fieldsOf(await readJson(call.request)), 'data') ?? '';
  await session.input(command, data);
  return empty(204);
}

/** Sends the log as it was so far and, if asked, as it grows; then closes. */
async function stream(box: Box, call: UpgradeCall): Promise<void> {
  const follow = call.query.get('follow') === 'true';
  const isEmpty = isDefaultEntrypoint(box, call);
  const source = isEmpty ? undefined : found(box, call);
  const client = await acceptWebSocket(call);
  client.resume();
  if (source !== undefined) {
    const plainly = isCombined(call.request) ? unmarker() : (piece: Buffer) => piece;
    const { session, command } = source;
    for await (const chunk of session.read(command, follow, call.signal)) {
      await sendMessage(client, plainly(chunk));
    }
  } else if (follow) {
    // It never ends, and never says anything.
    return;
  }
  client.close(1000);
}

function isDefaultEntrypoint(box: Box, { params }: Call): boolean {
  return params.sid === ENTRYPOINT && box.record.image.entrypoint === undefined;
}

/** Clients that do not say who they are get text without marks, unless they ask for them. */
function isCombined(request: IncomingMessage): boolean {
  const hasVersion = request.headers['x-daytona-sdk-version'] !== undefined;
  const offersVersion = /X-Daytona-SDK-Version~/i.test(
    request.headers['sec-websocket-protocol'] ?? '',
  );
  return !hasVersion && !offersVersion && request.headers['x-daytona-split-output'] !== 'true';
}
