import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../../src/local/engine/engine.ts';
import type { Sandbox } from '../../../src/local/engine/sandbox.ts';
import {
  codeOf,
  folder,
  IS_ROOT,
  modes,
  PATIENCE,
  removeFolders,
  run,
  sh,
  until,
} from './support.ts';

describe.each(await modes())('processes: $title', ({ mode, isMissing }) => {
  if (isMissing) return test.skip('all of it');
  let engine: Engine;
  let sandbox: Sandbox;

  beforeAll(async () => {
    process.env.CUBESHIFT_TEST_SECRET = 'of the server';
    engine = await createEngine({ isolation: mode, dir: folder() });
    sandbox = await engine.create({ id: 'one', env: { KEPT: 'sandbox', BOTH: 'sandbox' } });
  }, PATIENCE);

  afterAll(async () => {
    delete process.env.CUBESHIFT_TEST_SECRET;
    await engine.close();
    removeFolders();
  }, PATIENCE);

  test('output, errors and exit code arrive apart', async () => {
    const argv = ['sh', '-c', 'echo out; echo err >&2; exit 3'];
    expect(await run(sandbox, { argv })).toEqual({ stdout: 'out\n', stderr: 'err\n', exitCode: 3 });
  });

  test('arguments arrive as they are', async () => {
    const words = ['a b', '$HOME', '`id`', "it's", '"', '', '-n', 'x=y', '\n', '→'];
    const { stdout } = await run(sandbox, { argv: ['printf', '[%s]', ...words] });
    expect(stdout).toBe(words.map((word) => `[${word}]`).join(''));
  });

  test('the environment is made from scratch: sandbox, then call; nothing of the server', async () => {
    const env = await sh(sandbox, 'env', { env: { BOTH: 'call', ODD: 'a\nb $x' } });
    expect(env).toContain('KEPT=sandbox\n');
    expect(env).toContain('BOTH=call\n');
    expect(env).toContain('ODD=a\nb $x\n');
    expect(env).toContain('USER=user\n');
    expect(env).not.toContain('SECRET');
    const seen = await sh(sandbox, 'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" || :', {
      user: 'root',
    });
    if (mode === 'namespaces') expect(seen).not.toContain('CUBESHIFT_TEST_SECRET');
  });

  test('the folder is the home, or the one asked for, which must exist', async () => {
    expect(await sh(sandbox, 'pwd')).toMatch(/\/home\/user\n$/);
    expect(await sh(sandbox, 'pwd', { cwd: '/tmp' })).toMatch(/\/tmp\n$/);
    expect(await codeOf(sandbox.spawn({ argv: ['true'], cwd: '/nope' }))).toBe('bad-cwd');
  });

  test('a program that does not exist ends as in a shell', async () => {
    expect((await run(sandbox, { argv: ['no-such-program'] })).exitCode).toBe(127);
  });

  test('an unknown user is refused', async () => {
    expect(await codeOf(sandbox.spawn({ argv: ['true'], user: 'nemo' }))).toBe('unknown-user');
  });

  test.skipIf(mode === 'directory')(
    'users have their names, homes and rights (directory mode has one user)',
    async () => {
      const who = 'echo "$(id -un) $(id -u) $HOME $(pwd)"; touch "$HOME/mine"';
      expect(await sh(sandbox, who)).toBe('user 1000 /home/user /home/user\n');
      expect(await sh(sandbox, who, { user: 'daytona' })).toBe(
        'daytona 1001 /home/daytona /home/daytona\n',
      );
      expect(await sh(sandbox, who, { user: 'root' })).toBe('root 0 /root /root\n');
      // Without root all of them are one user to the kernel.
      const { exitCode } = await run(sandbox, { argv: ['touch', '/etc/x'] });
      expect(exitCode === 0).toBe(!IS_ROOT);
    },
  );

  test('input is written and ended; without it there is none', async () => {
    const cat = await sandbox.spawn({ argv: ['cat'], stdin: true });
    const { text } = await import('node:stream/consumers');
    const output = text(cat.stdout);
    await cat.write('one ');
    await cat.write(Buffer.from('two'));
    await cat.closeStdin();
    expect(await output).toBe('one two');
    expect(await cat.exit).toEqual({ exitCode: 0 });
    expect((await run(sandbox, { argv: ['cat'] })).stdout).toBe('');
    expect(await codeOf(cat.write('late'))).toBe('invalid');
  });

  test('100 MB of output pass through without staying in memory', async () => {
    const big = await sandbox.spawn({ argv: ['head', '-c', '100000000', '/dev/zero'] });
    const before = process.memoryUsage().rss;
    let [bytes, most] = [0, 0];
    for await (const chunk of big.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage().rss);
    }
    expect(bytes).toBe(100_000_000);
    expect((await big.exit).exitCode).toBe(0);
    expect(most - before).toBeLessThan(60_000_000);
  });

  test('output nobody reads waits; a reader that leaves does not end the process', async () => {
    const script = 'head -c 5000000 /dev/zero; echo done > finished';
    const writer = await sandbox.spawn({ argv: ['sh', '-c', script] });
    expect(await sandbox.files.exists('finished')).toBe(false);
    expect(writer.stdout.readableLength).toBeLessThan(200_000);
    writer.stdout.destroy();
    expect(await writer.exit).toEqual({ exitCode: 0 });
    expect(await sandbox.files.exists('finished')).toBe(true);
  });

  test('exit comes with the process, though a child of it keeps the output open', async () => {
    const shell = await sandbox.spawn({ argv: ['sh', '-c', 'sleep 600 & echo $!'] });
    expect(await shell.exit).toEqual({ exitCode: 0 });
    shell.stdout.resume();
  });

  test('a signal reaches the process, or its whole group', async () => {
    const argv = [
      'sh',
      '-c',
      'trap "echo caught; exit 4" TERM; echo up; while :; do sleep 0.01; done',
    ];
    const one = await sandbox.spawn({ argv });
    one.stdout.once('data', () => void one.signal('SIGTERM'));
    expect(await one.exit).toEqual({ exitCode: 4 });
    expect(await one.signal('SIGTERM')).toBe(false);

    const group = await sandbox.spawn({ argv: ['sh', '-c', 'sleep 600 & echo up; wait'] });
    await new Promise((resolve) => group.stdout.once('data', resolve));
    const ended = new Promise((resolve) => group.stdout.once('end', resolve));
    expect(await group.signal('SIGKILL', { group: true })).toBe(true);
    expect(await group.exit).toEqual({ exitCode: 137, signal: 'SIGKILL' });
    // Only when the child is gone too does its output end.
    group.stdout.resume();
    await ended;
  });

  test('one that is stopped and then killed has ended', async () => {
    const process = await sandbox.spawn({ argv: ['sh', '-c', 'echo up; sleep 600'] });
    await new Promise((resolve) => process.stdout.once('data', resolve));
    expect(await process.signal('SIGSTOP')).toBe(true);
    await run(sandbox, { argv: ['true'] });
    // By somebody else, as the engine itself would let it go on.
    await run(sandbox, { argv: ['sh', '-c', `kill -KILL ${process.pid}`] });
    expect(await process.exit).toEqual({ exitCode: 137, signal: 'SIGKILL' });
  });

  test('the exit of every process is told', async () => {
    const codes: number[] = [];
    const off = sandbox.onExit((_process, { exitCode }) => codes.push(exitCode));
    await run(sandbox, { argv: ['sh', '-c', 'exit 5'] });
    off();
    await run(sandbox, { argv: ['sh', '-c', 'exit 6'] });
    expect(codes).toEqual([5]);
  });

  test('a terminal: size, input, resize with a signal, Ctrl-C, exit code', async () => {
    const argv = [
      'sh',
      '-c',
      'trap "stty size" WINCH; stty size; while :; do read -r line && eval "$line"; done',
    ];
    const terminal = await sandbox.spawn({ argv, pty: { cols: 100, rows: 30 } });
    let seen = '';
    terminal.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    await until(() => seen.includes('30 100'));
    await terminal.resize({ cols: 80, rows: 20 });
    // The shell runs its trap once `read` is over.
    await terminal.write('test -t 0 && echo is"-a-"tty\n');
    await until(() => seen.includes('20 80') && seen.includes('is-a-tty'));
    await terminal.write('echo star"ted"; sleep 600\n');
    await until(() => seen.includes('started'));
    await terminal.write('\x03');
    expect(await terminal.exit).toMatchObject({ exitCode: 130 });
    const other = await sandbox.spawn({
      argv: ['sh', '-c', 'exit 7'],
      pty: { cols: 80, rows: 24 },
    });
    other.stdout.resume();
    expect((await other.exit).exitCode).toBe(7);
  });

  test.skipIf(mode === 'directory')(
    'a fork bomb is limited, also for root, and others go on (directory mode has no limit)',
    async () => {
      const bomb = await engine.create({ id: 'bomb', limits: { pids: 400 } });
      const script = 'while :; do sleep 600 > /dev/null 2>&1 & done';
      const { exitCode, stderr } = await run(bomb, {
        argv: ['sh', '-c', script],
        user: 'root',
      });
      expect(stderr).toMatch(/fork/i);
      expect(exitCode).not.toBe(0);
      expect(await sh(sandbox, 'echo fine')).toBe('fine\n');
      await bomb.delete();
    },
  );

  const canLimit = () => !engine.isolation.limits.some((limit) => /memory/.test(limit));
  test('a process that needs more memory than allowed is killed (where that can be limited)', async (context) => {
    if (!canLimit()) return context.skip();
    const small = await engine.create({ id: 'small', limits: { memoryMb: 200 } });
    const program = 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))';
    const hog = await run(small, { argv: [process.execPath, '-e', program] });
    expect(hog).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
    expect(await sh(small, 'echo fine')).toBe('fine\n');
    await small.delete();
  });

  test('limits that cannot be meant are refused', async () => {
    for (const limits of [{ memoryMb: 0 }, { memoryMb: 1.5 }, { pids: 10 }]) {
      expect(await codeOf(engine.create({ id: 'wrong', limits }))).toBe('invalid');
    }
  });

  test.skipIf(mode === 'directory')(
    'orphans are reaped and neighbours invisible (directory mode shares the host’s processes)',
    async () => {
      const other = await engine.create({ id: 'other' });
      await other.spawn({ argv: ['sleep', '612'] });
      await sh(sandbox, '(sleep 0.01 &)');
      await until(async () => !/ Z /.test(await sh(sandbox, 'cat /proc/[0-9]*/stat')));
      const seen = await sh(sandbox, 'cat /proc/[0-9]*/cmdline', { user: 'root' });
      expect(seen).not.toContain('612');
      await other.delete();
    },
  );
});
