import { readJson } from '../../http/body.ts';
import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import type { UpgradeCall } from '../../http/server.ts';
import { acceptWebSocket, sendMessage, type WebSocket } from '../../http/websocket.ts';
import { badRequest, DaytonaFailure } from '../errors.ts';
import { checkEnv, fieldsOf, flag, integer, text, textMap } from '../input.ts';
import type { Box } from './box.ts';
import type { Pty, PtyOptions } from './pty.ts';
import type { BoxRoutes } from './route.ts';

const MAX_SIZE = 1000;
/** Subprotocols by which clients say more than an address holds. */
const ENVS = 'X-Daytona-Pty-Envs~';
const EXIT_CONTROL = 'X-Daytona-Pty-Exit-Control';

export function ptyRoutes(routes: BoxRoutes): void {
  routes
    .on('GET /process/pty', (box) =>
      json(200, { sessions: box.ptys.list().map((pty) => pty.info()) }),
    )
    .on('POST /process/pty', create)
    .on('GET /process/pty/:sid', (box, { params }) =>
      json(200, box.ptys.need(params.sid ?? '').info()),
    )
    .on('DELETE /process/pty/:sid', async (box, { params }) => {
      await box.ptys.need(params.sid ?? '').kill();
      return json(200, { message: 'PTY session deleted' });
    })
    .on('POST /process/pty/:sid/resize', resize)
    .ws('/process/pty/create-connect', createAndConnect)
    .ws('/process/pty/:sid/connect', connect);
}

async function create(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const id = text(fields, 'id');
  if (id === undefined || id === '') throw badRequest('session ID is required');
  const pty = box.ptys.create({
    id,
    ...sizeOf(integer(fields, 'cols'), integer(fields, 'rows')),
    cwd: text(fields, 'cwd') || undefined,
    envs: textMap(fields, 'envs') ?? {},
    lazyStart: flag(fields, 'lazyStart') ?? false,
  });
  if (flag(fields, 'lazyStart') !== true) await pty.start();
  return json(201, { sessionId: id });
}

async function resize(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const { cols, rows } = sizeOf(integer(fields, 'cols', 1), integer(fields, 'rows', 1));
  const pty = box.ptys.find(call.params.sid ?? '');
  if (pty === undefined) throw new DaytonaFailure(410, 'PTY session not found', 'SESSION_ENDED');
  await pty.resize(cols, rows);
  return json(200, pty.info());
}

async function connect(box: Box, call: UpgradeCall): Promise<void> {
  const client = await accept(call);
  await serve(call, client, async () => {
    const pty = box.ptys.find(call.params.sid ?? '');
    if (pty === undefined) throw new Error('PTY session not found');
    return pty;
  });
}

/** Makes a terminal and connects to it in one go, as clients from 0.196 on do. */
async function createAndConnect(box: Box, call: UpgradeCall): Promise<void> {
  const client = await accept(call);
  await serve(call, client, async () => {
    const id = call.query.get('id') ?? '';
    if (id === '') throw new Error('session ID is required');
    const envs = envsOf(call);
    checkEnv(envs);
    const number = (name: string): number | undefined => {
      const value = call.query.get(name);
      return value === null ? undefined : integer({ [name]: Number(value) }, name, 1);
    };
    const cwd = call.query.get('cwd') || undefined;
    const size = sizeOf(number('cols'), number('rows'));
    return box.ptys.create({ id, ...size, cwd, envs, lazyStart: true });
  });
}

async function serve(
  call: UpgradeCall,
  client: WebSocket,
  find: () => Promise<Pty>,
): Promise<void> {
  try {
    const pty = await find();
    // Attached first, so that nothing the shell says is missed.
    await sendAfter(client, pty.start(), () => pty.attach(client, offers(call, EXIT_CONTROL)));
  } catch (error) {
    const reason = `Failed to connect to PTY session: ${(error as Error).message}`;
    await sendMessage(client, JSON.stringify({ type: 'control', status: 'error', error: reason }));
    client.close(1011, 'PTY session unavailable');
  }
}

async function sendAfter(
  client: WebSocket,
  started: Promise<void>,
  attach: () => void,
): Promise<void> {
  attach();
  await started;
  void sendMessage(client, JSON.stringify({ type: 'control', status: 'connected' }));
}

function accept(call: UpgradeCall): Promise<WebSocket> {
  // Any of those offered will do, but one that carries a secret is better not repeated.
  return acceptWebSocket(call, (offered) => {
    const all = [...offered];
    return all.find((name) => !name.startsWith(ENVS)) ?? all[0] ?? false;
  });
}

function offered({ request }: UpgradeCall): string[] {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}

function offers(call: UpgradeCall, protocol: string): boolean {
  return offered(call).includes(protocol);
}

function envsOf(call: UpgradeCall): Record<string, string> {
  const coded = offered(call).find((name) => name.startsWith(ENVS));
  if (coded === undefined) return {};
  const decoded = Buffer.from(coded.slice(ENVS.length), 'base64url').toString('utf8');
  return textMap({ envs: JSON.parse(decoded) as unknown }, 'envs') ?? {};
}

function sizeOf(cols = 80, rows = 24): Pick<PtyOptions, 'cols' | 'rows'> {
  for (const [name, value] of Object.entries({ cols, rows })) {
    if (value > MAX_SIZE) throw badRequest(`${name} must be less than ${MAX_SIZE}`);
  }
  return { cols, rows };
}
