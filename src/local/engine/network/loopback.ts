import { connect, type Socket } from 'node:net';
import { EngineError } from '../errors.ts';

/** Where programs listen that nobody told an address, the most usual first. */
export const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** What a port that nothing listens on is answered with. */
export function refused(port: number): EngineError {
  return new EngineError('refused', `nothing listens on port ${port} of the sandbox`);
}

export function checkPort(port: number): void {
  if (Number.isInteger(port) && port > 0 && port < 65536) return;
  throw new EngineError('invalid', `'${port}' is not a port: a whole number up to 65535 is needed`);
}

/** Connects to a port of this process's own network. */
export async function connectLoopback(port: number): Promise<Socket> {
  for (const host of LOOPBACK) {
    const socket = await attempt(host, port);
    if (socket !== undefined) return socket;
  }
  throw refused(port);
}

function attempt(host: string, port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    const fail = (): void => resolve(undefined);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
