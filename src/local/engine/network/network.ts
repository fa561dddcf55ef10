import type { Socket } from 'node:net';
import { Dialer } from './dialer.ts';
import { connectLoopback } from './loopback.ts';
import { openOutbound } from './outbound.ts';
import { listeningPorts, listeningPortsOf } from './ports.ts';

/** The network of one running sandbox, as seen from the server. */
export interface SandboxNetwork {
  /** When programs can use all of it; false if they never can. */
  readonly ready: Promise<boolean>;
  connect(port: number): Promise<Socket>;
  listeningPorts(): number[];
  end(): Promise<void>;
}

/** The network of the host, used by these processes among others. */
export function sharedNetwork(pids: () => readonly number[]): SandboxNetwork {
  return {
    ready: Promise.resolve(true),
    connect: connectLoopback,
    listeningPorts: () => listeningPortsOf(pids()),
    end: async () => undefined,
  };
}

/**
 * The network that a process of the host is in, with a way out of it if wanted. `nsenter`: options
 * that join it.
 */
export function ownNetwork(
  pid: number,
  nsenter: readonly string[],
  wantsOutbound: boolean,
): SandboxNetwork {
  const dialer = new Dialer(pid, nsenter);
  const outbound = wantsOutbound ? openOutbound(pid) : undefined;
  return {
    ready: outbound?.ready ?? Promise.resolve(true),
    connect: (port) => dialer.connect(port),
    listeningPorts: () => listeningPorts(pid),
    end: async () => {
      await Promise.all([dialer.end(), outbound?.end()]);
    },
  };
}
