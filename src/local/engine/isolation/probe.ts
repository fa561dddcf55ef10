import { EngineError } from '../errors.ts';
import { LayerStore } from '../layers.ts';
import type { NetworkKind } from '../network/plan.ts';
import { removeFolder } from '../remove.ts';
import { run } from '../run.ts';
import { claimFolder } from '../sweep.ts';
import { DirectoryIsolation } from './directory.ts';
import { NamespaceIsolation } from './namespaces.ts';
import type { Isolation, IsolationReport, Mode } from './types.ts';

const TOOLS = [
  'unshare',
  'nsenter',
  'setpriv',
  'prlimit',
  'setsid',
  'mount',
  'pivot_root',
  'script',
];

/** An isolation that works here, with the folder it works in. */
export interface Ground {
  dir: string;
  layers: LayerStore;
  isolation: Isolation;
  report: IsolationReport;
}

interface Where {
  parent: string;
  network: NetworkKind | 'auto';
}

type Kind = Pick<typeof NamespaceIsolation | typeof DirectoryIsolation, 'open'>;

/**
 * Decides once how sandboxes are kept apart, by trying: namespaces are taken when a sandbox could
 * be started in them. Only a wish that cannot be met is an error.
 */
export async function probe(
  parent: string,
  wish: Mode | 'auto',
  network: NetworkKind | 'auto',
): Promise<Ground> {
  const where = { parent, network };
  if (wish === 'directory') return open(where, DirectoryIsolation, 'directory', 'asked for');
  const missing = await missingForNamespaces();
  const attempt = missing ?? (await tryNamespaces(where));
  if (typeof attempt !== 'string') return attempt;
  if (wish === 'namespaces') {
    throw new EngineError('unsupported', `namespaces cannot be used here: ${attempt}`);
  }
  return open(where, DirectoryIsolation, 'directory', `no namespaces: ${attempt}`);
}

async function missingForNamespaces(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `${process.platform} has none`;
  const checks = await Promise.all(
    TOOLS.map(async (tool) => ((await run(tool, ['--version'])).code === 127 ? [tool] : [])),
  );
  const missing = checks.flat();
  return missing.length === 0 ? undefined : `${missing.join(', ')} from util-linux not found`;
}

/** The ground, or what stands in the way. */
async function tryNamespaces(where: Where): Promise<Ground | string> {
  try {
    const rights = process.getuid?.() === 0 ? 'root, namespaces' : 'user namespaces';
    const reason = `${rights} and overlayfs are available`;
    const ground = await open(where, NamespaceIsolation, 'namespaces', reason);
    try {
      const disk = await ground.isolation.disk('probe', []);
      await (await disk.boot({ mounts: [], outbound: true, limits: {} })).end();
      await disk.remove();
      return ground;
    } catch (error) {
      await ground.isolation.close();
      await removeFolder(ground.dir);
      throw error;
    }
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  }
}

async function open(where: Where, kind: Kind, mode: Mode, reason: string): Promise<Ground> {
  const { dir, token } = claimFolder(where.parent);
  try {
    const layers = new LayerStore(dir);
    const isolation = await kind.open({ dir, token, layers, network: where.network });
    const { limits, network } = isolation;
    return { dir, layers, isolation, report: { mode, reason, limits, network: network.kind } };
  } catch (error) {
    await removeFolder(dir);
    throw error;
  }
}
