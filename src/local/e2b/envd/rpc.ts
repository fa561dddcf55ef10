import { json, type plain } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import type { Fields } from '../body.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { E2bServices } from '../services.ts';
import { Channel } from './channel.ts';
import {
  ConnectionReset,
  endFrame,
  frame,
  RpcError,
  readOne,
  readStream,
  readUnary,
  rpcError,
  unaryFailure,
} from './connect-codec.ts';
import type { SandboxHandler } from './handler.ts';

/** One call of an RPC. */
export interface RpcCall {
  readonly sandbox: LiveSandbox;
  readonly services: E2bServices;
  /** As whom: the Basic credentials, else the template's user. Known to exist. */
  readonly user: string;
  /** Milliseconds the client gives the call; undefined is as long as it takes. */
  readonly timeoutMs: number | undefined;
}

export type Unary = (call: RpcCall, message: Fields) => Promise<object>;
/** Sends what it has to say into the channel, and closes it when that was all. */
export type ServerStream = (
  call: RpcCall,
  message: Fields,
  channel: Channel<object>,
) => Promise<void>;
export type ClientStream = (call: RpcCall, messages: AsyncIterable<Fields>) => Promise<object>;

/** Kept-alive streams say so every this many seconds, unless the client asks for another interval. */
const KEEPALIVE_S = 90;

export function unary(method: Unary): SandboxHandler {
  return async (http, sandbox, services) => {
    const wrong = wrongType(http, 'application/json');
    if (wrong !== undefined) return wrong;
    try {
      const call = await rpcCall(http, sandbox, services);
      return json(200, await method(call, await readUnary(http)));
    } catch (error) {
      return unaryFailure(tell(error, sandbox, services));
    }
  };
}

/** `keepalive` is what the stream says when it has had nothing to say for a while. */
export function serverStream(method: ServerStream, keepalive: object): SandboxHandler {
  return async (http, sandbox, services) => {
    const wrong = wrongType(http, 'application/connect+json');
    if (wrong !== undefined) return wrong;
    const channel = new Channel<object>();
    const { connections } = sandbox;
    const leave = (): void => channel.close();
    const cut = (): void => channel.fail(new ConnectionReset('the sandbox went away'));
    http.signal.addEventListener('abort', leave, { once: true });
    connections.addEventListener('abort', cut, { once: true });
    const seconds = Number(http.request.headers['keepalive-ping-interval'] ?? KEEPALIVE_S);
    const ticker = setInterval(
      () => void channel.push(keepalive),
      (seconds > 0 ? seconds : KEEPALIVE_S) * 1000,
    );
    let deadline = (): void => undefined;
    // However it ends: an answer that nobody reads leaves nothing behind.
    channel.onClose(() => {
      clearInterval(ticker);
      deadline();
      http.signal.removeEventListener('abort', leave);
      connections.removeEventListener('abort', cut);
    });

    async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for await (const message of channel.read()) {
          ticker.refresh();
          yield frame(message);
        }
        yield endFrame();
      } catch (error) {
        if (error instanceof ConnectionReset) throw error;
        yield endFrame(rpcError(tell(error, sandbox, services)));
      }
    }

    const run = async (): Promise<void> => {
      const call = await rpcCall(http, sandbox, services);
      if (call.timeoutMs !== undefined && !channel.isClosed) {
        deadline = services.clock.setTimer(call.timeoutMs, () =>
          channel.fail(new RpcError('deadline_exceeded', 'context deadline exceeded')),
        );
      }
      await method(call, await readOne(http), channel);
    };
    run().catch((error) => channel.fail(error));
    return {
      status: 200,
      headers: { 'content-type': 'application/connect+json' },
      body: body(),
    };
  };
}

export function clientStream(method: ClientStream): SandboxHandler {
  return async (http, sandbox, services) => {
    const wrong = wrongType(http, 'application/connect+json');
    if (wrong !== undefined) return wrong;
    const frames: Buffer[] = [];
    try {
      const call = await rpcCall(http, sandbox, services);
      frames.push(frame(await method(call, readStream(http))), endFrame());
    } catch (error) {
      frames.push(endFrame(rpcError(tell(error, sandbox, services))));
    }
    return {
      status: 200,
      headers: { 'content-type': 'application/connect+json' },
      body: Buffer.concat(frames),
    };
  };
}

async function rpcCall(
  { request }: Call,
  sandbox: LiveSandbox,
  services: E2bServices,
): Promise<RpcCall> {
  const given = basicUser(request.headers.authorization);
  const user = given ?? sandbox.spec.template.user;
  if (!(await services.userExists(sandbox, user))) {
    const kind = given === undefined ? 'default user' : 'username';
    throw new RpcError('unauthenticated', `invalid ${kind}: '${user}'`);
  }
  const header = request.headers['connect-timeout-ms'];
  if (header !== undefined && !/^\d{1,10}$/.test(`${header}`)) {
    throw new RpcError('invalid_argument', `protocol error: invalid timeout '${header}'`);
  }
  const timeoutMs = Number(header ?? 0);
  return { sandbox, services, user, timeoutMs: timeoutMs > 0 ? timeoutMs : undefined };
}

function basicUser(header: string | undefined): string | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, 'base64').toString('utf8').split(':')[0];
}

/** connect-go's answer to a codec it does not have; the binary one is not offered here. */
function wrongType({ request }: Call, expected: string): ReturnType<typeof plain> | undefined {
  const type = request.headers['content-type']?.split(';')[0]?.trim();
  if (type === expected) return undefined;
  return { status: 415, headers: { 'accept-post': expected } };
}

/** Unexpected errors go to the server's log; the client hears that something went wrong. */
function tell(error: unknown, sandbox: LiveSandbox, services: E2bServices): unknown {
  if (rpcError(error).code === 'internal' && !sandbox.isEnded) services.onError(error);
  return error;
}
