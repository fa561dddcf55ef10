import { strict as assert } from 'node:assert';
import type { PtyHandle, PtySize } from '../../provider/pty.ts';
import type { Sandbox } from '../../provider/sandbox.ts';
import type { Case, Kit } from '../kit.ts';

/** A terminal whose text can be waited for. */
interface Screen {
  readonly handle: PtyHandle;
  /** Sends a line, and waits until the terminal shows some text. */
  enter(line: string, text: string): Promise<void>;
}

/** Terminals. */
export const PTY: readonly Case[] = [
  {
    name: 'pty: input and output',
    async run(kit) {
      const sandbox = await kit.shared();
      const screen = await open(kit, sandbox);
      if (screen === undefined) return;
      await screen.enter('echo "<$((40 + 2))>"', '<42>');
      await screen.enter("printf '<\\303\\274>'", '<ü>');
      await screen.enter('test -t 0 && echo "<is a $(echo terminal)>"', '<is a terminal>');
      await screen.handle.kill();
    },
  },
  {
    name: 'pty: size',
    async run(kit) {
      const sandbox = await kit.shared();
      const screen = await open(kit, sandbox, { cols: 97, rows: 31 });
      if (screen === undefined) return;
      await screen.enter('stty size', '31 97');
      await screen.handle.resize({ cols: 120, rows: 40 });
      await screen.enter('stty size', '40 120');
      await screen.handle.kill();
    },
  },
  {
    name: 'pty: its end',
    async run(kit) {
      const sandbox = await kit.shared();
      const screen = await open(kit, sandbox);
      if (screen === undefined) return;
      assert.equal(screen.handle.exitCode, undefined);
      await screen.handle.sendInput('exit 5\n');
      const signal = AbortSignal.timeout(kit.settleTimeoutMs);
      assert.deepEqual(await screen.handle.wait({ signal }), { exitCode: 5 });
      assert.equal(screen.handle.exitCode, 5);
      assert.equal(await screen.handle.kill(), false);
    },
  },
  {
    name: 'pty: killed',
    async run(kit) {
      const sandbox = await kit.shared();
      const screen = await open(kit, sandbox);
      if (screen === undefined) return;
      await screen.enter('echo "<$((1 + 1))>"; sleep 300', '<2>');
      assert.equal(await screen.handle.kill(), true);
      const signal = AbortSignal.timeout(kit.settleTimeoutMs);
      const { exitCode } = await screen.handle.wait({ signal });
      assert.notEqual(exitCode, 0);
    },
  },
  {
    name: 'pty: left and found again',
    async run(kit) {
      const sandbox = await kit.shared();
      const first = await open(kit, sandbox);
      if (first === undefined) return;
      await first.enter('kept=$((6 * 7)); echo "<set>$kept"', '<set>42');
      await first.handle.disconnect();
      const other = await kit.provider.get(sandbox.id);
      const again = await screenOf(kit, (onData) => other.pty.connect(first.handle.id, { onData }));
      await again.enter('echo "<still>$kept"', '<still>42');
      await again.handle.kill();
    },
  },
];

async function open(kit: Kit, sandbox: Sandbox, size?: PtySize): Promise<Screen | undefined> {
  const start = (onData: (data: Uint8Array) => void) => sandbox.pty.create({ ...size, onData });
  if (!(await kit.supports('pty', () => start(() => undefined)))) return undefined;
  return screenOf(kit, start);
}

async function screenOf(
  kit: Kit,
  start: (onData: (data: Uint8Array) => void) => Promise<PtyHandle>,
): Promise<Screen> {
  let bytes = Buffer.alloc(0);
  const handle = await start((data) => {
    bytes = Buffer.concat([bytes, data]);
  });
  return {
    handle,
    async enter(line, text) {
      await handle.sendInput(`${line}\n`);
      await kit.until(`the terminal shows ${text}`, () => bytes.toString('utf8').includes(text));
    },
  };
}
