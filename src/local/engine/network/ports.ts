import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTEN = '0A';

/** A TCP socket that waits for connections. */
interface Listener {
  port: number;
  inode: string;
}

/** Ports that are listened on in the network of a process. */
export function listeningPorts(pid: number): number[] {
  return sorted(listeners(pid));
}

/** The same where other programs share the network: ports of these processes only. */
export function listeningPortsOf(pids: readonly number[]): number[] {
  const [pid] = pids;
  if (pid === undefined) return [];
  const own = new Set(pids.flatMap(sockets));
  return sorted(listeners(pid).filter(({ inode }) => own.has(inode)));
}

function sorted(found: readonly Listener[]): number[] {
  return [...new Set(found.map(({ port }) => port))].sort((a, b) => a - b);
}

function listeners(pid: number): Listener[] {
  return ['tcp', 'tcp6'].flatMap((table) =>
    rows(`/proc/${pid}/net/${table}`).flatMap((row) => {
      const [, local, , state, , , , , , inode = ''] = row.trim().split(/\s+/);
      if (state !== LISTEN || local === undefined) return [];
      return [{ port: Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16), inode }];
    }),
  );
}

function rows(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1);
  } catch {
    // No IPv6, or the process has just ended.
    return [];
  }
}

/** Numbers of the sockets a process holds. */
function sockets(pid: number): string[] {
  const dir = `/proc/${pid}/fd`;
  try {
    return readdirSync(dir).flatMap((fd) => socketAt(`${dir}/${fd}`));
  } catch {
    return [];
  }
}

function socketAt(link: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.slice(1) ?? [];
  } catch {
    return [];
  }
}
