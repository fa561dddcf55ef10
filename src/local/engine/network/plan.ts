import { EngineError } from '../errors.ts';
import type { Rights } from '../isolation/rights.ts';
import { run } from '../run.ts';
import { RESOLVER, tryOutbound } from './outbound.ts';

/** Whose network programs in sandboxes use. */
export type NetworkKind = 'separate' | 'host';

/** How sandboxes of an engine are connected; decided once, by trying. */
export interface NetworkPlan {
  kind: NetworkKind;
  /** Whether a sandbox can have a way out of it. */
  outbound: boolean;
  /** Options of `unshare` that make a network, and of `nsenter` that join it. */
  unshare: readonly string[];
  nsenter: readonly string[];
  /** Program text that a sandbox runs at its start, inside its network, with or without a way out. */
  prepare: (isOutbound: boolean) => string;
  /** The resolver programs in a sandbox are to ask, when it is not the host's. */
  resolver?: string;
  limits: readonly string[];
}

/**
 * Ways to bring up the loopback device, which a new network has switched off. Perl is on every
 * Debian and Ubuntu, also where nothing for networks is: read the flags of `lo`, set `IFF_UP`.
 */
const LOOPBACK_UP: readonly string[] = [
  'ip link set lo up',
  'ifconfig lo up',
  'busybox ip link set lo up',
  `perl -e 'socket(S, 2, 2, 0) or die; my $r = pack("a16s", "lo", 0); ioctl(S, 0x8913, $r) or die;
my ($n, $f) = unpack("a16s", $r); ioctl(S, 0x8914, pack("a16s", $n, $f | 1)) or die'`,
  `python3 -c 'import fcntl, socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
n, f = struct.unpack("16sh", fcntl.ioctl(s, 0x8913, struct.pack("16sh", b"lo", 0)))
fcntl.ioctl(s, 0x8914, struct.pack("16sh", n, f | 1))'`,
];

const NOTHING = ':';

/** Decides for sandboxes in namespaces. Only a wish that cannot be met is an error. */
export async function planNetwork(
  wish: NetworkKind | 'auto',
  { unshare }: Pick<Rights, 'unshare'>,
): Promise<NetworkPlan> {
  if (wish === 'host') return hostNetwork();
  const alone = [...unshare, '--net'];
  const prepare = await loopbackUp(alone);
  if (prepare === undefined) {
    const reason = 'a new network’s loopback could not be brought up (install iproute2)';
    if (wish === 'separate') {
      throw new EngineError('unsupported', `no network of its own for a sandbox: ${reason}`);
    }
    return hostNetwork(reason);
  }
  const { isOpen: outbound, hasLoopback } = await tryOutbound(alone);
  return {
    kind: 'separate',
    outbound,
    unshare: ['--net'],
    nsenter: ['--net'],
    prepare: (isOutbound) => (isOutbound && hasLoopback ? NOTHING : prepare),
    ...(outbound ? { resolver: RESOLVER } : {}),
    limits: [
      outbound
        ? 'connections out of a sandbox are IPv4 only, and reach what the host reaches but its loopback'
        : 'sandboxes have a loopback only and cannot reach anything else: install slirp4netns, which ' +
          'needs /dev/net/tun, or let them use the host’s network',
    ],
  };
}

/** Also for isolations that have nothing better. */
export function hostNetwork(reason?: string): NetworkPlan {
  const because = reason === undefined ? '' : `, since ${reason}`;
  return {
    kind: 'host',
    outbound: true,
    unshare: [],
    nsenter: [],
    prepare: () => NOTHING,
    limits: [`the network is the host’s: two sandboxes cannot listen on the same port${because}`],
  };
}

async function loopbackUp(unshare: readonly string[]): Promise<string | undefined> {
  for (const text of LOOPBACK_UP) {
    const { code } = await run('unshare', [...unshare, '/bin/sh', '-c', text]);
    if (code === 0) return text;
  }
  return undefined;
}
