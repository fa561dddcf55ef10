import { checkPort, checkTime } from '../../provider/check.ts';
import type { CallOptions, IdlePolicy, WaitOptions } from '../../provider/create.ts';
import type { ForkOptions, PortUrl, Sandbox } from '../../provider/sandbox.ts';
import type { E2BFiles } from '../e2b/files.ts';
import { KILL_TREE } from '../e2b/kill-tree.ts';
import type { Use } from '../e2b/pty.ts';
import { E2BSandbox, type Known } from '../e2b/sandbox.ts';
import type { CubeControl } from './control.ts';
import { CubeFiles } from './files.ts';

/**
 * Ends everything that the sandbox's own service has started, besides the shell that does it. What the
 * template runs by other means, such as a server it starts with, is not of it.
 */
const END_ALL = `${KILL_TREE}
self=$$
service=$PPID
for child in $(children "$service"); do
  if [ "$child" != "$self" ]; then (kill_tree "$child"); fi
done
sync
`;

/** A sandbox on a CubeSandbox. */
export class CubeSandbox extends E2BSandbox {
  readonly #control: CubeControl;

  constructor(control: CubeControl, known: Known) {
    // The server counts idle time itself.
    super(control, { ...known, hasOwnWindow: true });
    this.#control = control;
  }

  override async portUrl(port: number, _options: CallOptions = {}): Promise<PortUrl> {
    checkPort(port);
    const token = this.#control.gateway.tokenOf(this.nativeId);
    return {
      url: `${this.#control.cube.proxyUrl}/sandbox/${this.nativeId}/${port}`,
      headers: token === undefined ? {} : { 'e2b-traffic-access-token': token },
    };
  }

  /** What the server does not tell of one that is paused is known again. */
  override async start(options: WaitOptions = {}): Promise<void> {
    await super.start(options);
    if (this.marks.onIdle !== undefined) return;
    const known = await this.#control.lookUp(this.nativeId, options.signal);
    if (known === undefined) throw this.gone();
    this.marks = known.marks;
    this.lastInfo = known.info;
  }

  /** Ends what runs, then pauses: its memory is kept with nothing of use in it. */
  override async stop(options: WaitOptions = {}): Promise<void> {
    this.#control.checkPause(this.lastInfo, true);
    const { state } = await this.info(options);
    if (state === 'paused') return;
    await this.use(options.signal, (native) =>
      native.commands.run(END_ALL, { user: 'root', timeoutMs: 30_000 }),
    );
    await this.pause(options);
  }

  override async pause(options: WaitOptions = {}): Promise<void> {
    this.#control.checkPause(this.lastInfo, true);
    await super.pause(options);
  }

  override archive(): Promise<void> {
    return this.cannot(
      'archive',
      'Snapshot it and delete it; provider.snapshots.restore(id) makes a new one of it.',
    );
  }

  override async rollback(snapshotId: string, { signal }: WaitOptions = {}): Promise<void> {
    await this.#control.rollback(this.nativeId, snapshotId, signal);
  }

  override async fork({ name, signal }: ForkOptions = {}): Promise<Sandbox> {
    if (name !== undefined) return this.cannot('a name for a fork', 'Fork without one.');
    const { rest, server } = this.#control;
    const snapshot = await this.snapshot({ signal });
    const { idleTimeoutMs = null, onIdle = 'pause', labels, user } = this.marks;
    let isNeeded = false;
    try {
      const copy = await this.#control.createAsUsual(
        {
          template: snapshot.id,
          labels,
          idleTimeoutMs,
          onIdle,
          volumes: this.lastInfo.volumes,
          ...(user === undefined ? {} : { user }),
        },
        { signal },
      );
      // Before 0.7.0 nobody counts who still needs it.
      isNeeded = !server.detachesVolumes;
      return copy;
    } finally {
      if (!isNeeded) await rest.ask('DELETE', `/templates/${snapshot.id}`).catch(() => undefined);
    }
  }

  override async keepAlive(windowMs?: number, { signal }: CallOptions = {}): Promise<void> {
    const ms = windowMs ?? this.marks.idleTimeoutMs;
    if (ms === undefined) return;
    if (ms !== null) checkTime('windowMs', ms);
    await this.#control.setWindow(this.nativeId, ms, signal);
  }

  override async setIdlePolicy(
    { idleTimeoutMs, onIdle }: IdlePolicy,
    { signal }: CallOptions = {},
  ): Promise<void> {
    const now = this.lastInfo.onIdle;
    if (now !== undefined && onIdle !== now) {
      return this.cannot(
        `changing onIdle from "${now}" to "${onIdle}"`,
        'Only the time can change: give onIdle to create().',
      );
    }
    await this.#control.setWindow(this.nativeId, idleTimeoutMs, signal);
  }

  protected override makeFiles(use: Use, user: () => string | undefined): E2BFiles {
    return new CubeFiles(use, user);
  }
}
