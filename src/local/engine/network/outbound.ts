import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { HOLD } from '../isolation/scripts.ts';
import { launch } from '../launcher.ts';
import { keep } from '../run.ts';

/**
 * The way out of a sandbox's network: slirp4netns, a TCP/IP stack in a process outside that opens
 * ordinary connections of the host for what comes out of a device inside. Nothing of the host's own
 * network is changed. Preferred over pasta, which takes 30 MB instead of 1.5 MB a sandbox and three
 * times as long to start.
 */
const PROGRAM = 'slirp4netns';

/** Where it answers name lookups, by asking the host's resolver. */
export const RESOLVER = '10.0.2.3';

/**
 * Whether a way out can be opened on this host, and brings the loopback up as well, as all known
 * versions do; found by opening one. `unshare`: options that make a network.
 */
export async function tryOutbound(
  unshare: readonly string[],
): Promise<{ isOpen: boolean; hasLoopback: boolean }> {
  const holder = await keep('unshare', [...unshare, '/bin/sh', '-c', HOLD]);
  const outbound = openOutbound(holder.pid);
  const isOpen = await outbound.ready;
  const routes = await readFile(`/proc/${holder.pid}/net/fib_trie`, 'utf8').catch(() => '');
  await Promise.all([outbound.end(), holder.end()]);
  return { isOpen, hasLoopback: isOpen && routes.includes('127.0.0.1') };
}

/** The way out of one sandbox. */
export interface Outbound {
  /** Whether the way is open; false when it will never be. */
  ready: Promise<boolean>;
  end(): Promise<void>;
}

/** Opens a way out of the network of a process of the host. It ends with this process at the latest. */
export function openOutbound(pid: number): Outbound {
  const options = ['--configure', '--mtu=65520', '--disable-host-loopback'];
  const launched = launch({
    file: PROGRAM,
    args: [...options, '--ready-fd=3', '--exit-fd=4', `${pid}`, 'tap0'],
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = launched.then((child) => child.ended);
  // It says a word and closes, or ends without one.
  const word = launched.then(({ pipes: [, , , said] }) => said && text(said)).catch(() => '');
  // Its end tells the program to end.
  const leash = launched.then(({ pipes: [, , , , pipe] }) => pipe?.on('error', () => undefined));
  return {
    ready: Promise.race([word, ended.then(() => '')]).then(
      (said) => said !== undefined && said !== '',
    ),
    async end() {
      (await leash)?.destroy();
      await ended;
    },
  };
}
