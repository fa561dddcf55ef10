import type { IncomingMessage } from 'node:http';
import { EngineError } from '../engine/errors.ts';
import { forward, forwardUpgrade } from '../http/forward.ts';
import { json, type Reply } from '../http/reply.ts';
import type { UpgradeCall } from '../http/server.ts';
import type { SandboxHandler } from './envd/handler.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import { maskedHost } from './network.ts';
import type { E2bServices } from './services.ts';
import type { Target } from './target.ts';

/** Leads a request to whatever listens on the port. */
export function portHandler(target: Target): SandboxHandler {
  return async (call, sandbox, services) => {
    const signal = AbortSignal.any([call.signal, sandbox.connections]);
    try {
      return await forward({ ...call, signal }, forwarded(call.request, sandbox, target));
    } catch (error) {
      if (!isClosed(error)) throw error;
      return closedPort(target, services);
    }
  };
}

/** The same for WebSockets. @throws what the engine throws when nothing listens */
export async function upgradePort(
  call: UpgradeCall,
  sandbox: LiveSandbox,
  target: Target,
): Promise<void> {
  await forwardUpgrade(call, forwarded(call.request, sandbox, target));
  const { connections } = sandbox;
  const cut = (): void => void call.socket.destroy();
  connections.addEventListener('abort', cut, { once: true });
  call.socket.once('close', () => connections.removeEventListener('abort', cut));
}

export function isClosed(error: unknown): boolean {
  return error instanceof EngineError && ['refused', 'not-running'].includes(error.code);
}

/** What the service's proxy says when nothing listens. */
export function closedPort({ id, port }: Target, { preset }: E2bServices): Reply {
  if (preset.flavor === 'cube') return badGateway();
  return json(502, {
    sandboxId: id,
    message: 'The sandbox is running but port is not open',
    port,
    code: 502,
  });
}

/** nginx, which Cube's proxy is made of. */
export function badGateway(): Reply {
  const title = '502 Bad Gateway';
  return {
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`,
  };
}

function forwarded(
  request: IncomingMessage,
  sandbox: LiveSandbox,
  { port, path, prefix }: Target,
): Parameters<typeof forward>[1] {
  const host = maskedHost(sandbox.network, port);
  return {
    connect: () => sandbox.engine.connect(port),
    path,
    headers: {
      'e2b-sandbox-id': undefined,
      'e2b-sandbox-port': undefined,
      'e2b-traffic-access-token': undefined,
      'x-forwarded-host': request.headers.host,
      'x-forwarded-proto': 'http',
      'x-forwarded-for': request.socket.remoteAddress,
      ...(prefix === '' ? {} : { 'x-forwarded-prefix': prefix }),
      ...(host === undefined ? {} : { host }),
    },
    ...(prefix === '' ? {} : { answer: (headers) => withPrefix(headers, prefix) }),
  };
}

/** A page below a path must not lead out of it: redirects and cookies get the prefix. */
function withPrefix(
  headers: IncomingMessage['headers'],
  prefix: string,
): IncomingMessage['headers'] {
  const { location } = headers;
  const cookies = headers['set-cookie']?.map((cookie) =>
    cookie.replace(/;\s*path=\//i, `; Path=${prefix}/`),
  );
  return {
    ...headers,
    ...(location?.startsWith('/') ? { location: prefix + location } : {}),
    ...(cookies === undefined ? {} : { 'set-cookie': cookies }),
  };
}
