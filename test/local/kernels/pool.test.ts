import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  InterpreterMissingError,
  type KernelEvent,
  KernelInputError,
  KernelPool,
  type KernelProcess,
  KernelStartError,
  type SpawnInSandbox,
  UnknownContextError,
  UnsupportedLanguageError,
} from '../../../src/local/kernels/index.ts';
import { spawnHere, told } from './sandbox.ts';

/** Waits for code to stop, however busy the machine is; the other one kills almost at once. */
let pool: KernelPool;
let impatient: KernelPool;
beforeAll(() => {
  pool = new KernelPool({ spawn: spawnHere, graceMs: 50_000 });
  impatient = new KernelPool({ spawn: spawnHere, graceMs: 50 });
});
afterAll(() => Promise.all([pool.close(), impatient.close()]));

const folder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'kernel-')));

/** Calls `then` when the code has printed, and gives all events. */
async function whenPrinted(
  events: AsyncIterable<KernelEvent>,
  then: () => void,
): Promise<KernelEvent[]> {
  const all: KernelEvent[] = [];
  for await (const event of events) {
    all.push(event);
    if (event.type === 'stdout') then();
  }
  return all;
}

/** Code that says that it runs, and never ends by itself. */
const ENDLESS = {
  python: 'print("on")\nwhile True: pass',
  javascript: 'console.log("on"); while (true) {}',
  bash: 'echo on; while :; do :; done',
};
const DEAF = {
  python:
    'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint("on")\nwhile True: pass',
  javascript: 'console.log("on"); await null; while (true) {}',
  bash: "trap '' INT; echo on; while :; do :; done",
};
const LANGUAGES = ['python', 'javascript', 'bash'] as const;
const SET = { python: 'kept = 1', javascript: 'var kept = 1', bash: 'kept=1' };
const GET = {
  python: 'print(globals().get("kept"))',
  javascript: 'console.log(globalThis.kept ?? "None")',
  bash: 'echo "${kept:-None}"',
};

describe('contexts', () => {
  it('are independent, listed, found and removed', async () => {
    const cwd = folder();
    const own = new KernelPool({ spawn: spawnHere });
    const first = await own.createContext({ cwd });
    const second = await own.createContext({ language: 'JS ' });
    expect(first).toMatchObject({ language: 'python', cwd, isDefault: false, isBusy: false });
    await told(own.execute({ contextId: first.id }, 'x = 1'));
    const there = await told(own.execute({ contextId: first.id }, 'import os; x, os.getcwd()'));
    expect(there.text).toBe(`(1, '${cwd}')`);
    expect((await told(own.execute({}, 'x'))).error?.value).toBe("name 'x' is not defined");
    expect(own.list().map(({ language, isDefault }) => [language, isDefault])).toEqual([
      ['python', false],
      ['javascript', false],
      ['python', true],
    ]);
    expect(own.defaultContext().id).toBe(own.list()[2]?.id);
    await own.remove(second.id);
    expect(() => own.get(second.id)).toThrow(UnknownContextError);
    expect(() => own.execute({ contextId: second.id }, '1')).toThrow(
      `Context ${second.id} not found`,
    );
    await expect(own.remove(second.id)).rejects.toThrow(UnknownContextError);
    await own.close();
    expect(own.list()).toEqual([]);
  });

  it.each(LANGUAGES)('of %s lose their state when restarted', async (language) => {
    const { id } = await pool.createContext({ language });
    await told(pool.execute({ contextId: id }, SET[language]));
    expect((await told(pool.execute({ contextId: id }, GET[language]))).stdout).toBe('1\n');
    await pool.restart(id);
    const after = await told(pool.execute({ contextId: id }, GET[language]));
    expect(after).toMatchObject({ stdout: 'None\n', count: 1 });
    await pool.remove(id);
  });

  it('start in their folder again after a restart', async () => {
    const cwd = folder();
    const { id } = await pool.createContext({ language: 'bash', cwd });
    await told(pool.execute({ contextId: id }, 'cd /'));
    await pool.restart(id);
    expect((await told(pool.execute({ contextId: id }, 'pwd'))).stdout).toBe(`${cwd}\n`);
    await pool.remove(id);
  });

  it('that are restarted or removed end what runs in them', async () => {
    const { id } = await pool.createContext();
    const restarted = await whenPrinted(
      pool.execute({ contextId: id }, ENDLESS.python),
      () => void pool.restart(id),
    );
    expect(restarted.slice(-2)).toMatchObject([
      { type: 'error', name: 'ContextRestarted' },
      { type: 'end', reason: 'interrupted', stateLost: true },
    ]);
    const running = pool.execute({ contextId: id }, ENDLESS.python);
    const waiting = told(pool.execute({ contextId: id }, '1'));
    const removed = await whenPrinted(running, () => void pool.remove(id));
    expect(removed.slice(-2)).toMatchObject([{ name: 'ContextRemoved' }, { stateLost: true }]);
    expect((await waiting).error?.name).toBe('ContextRemoved');
  });

  it.each([...LANGUAGES, 'typescript'])(
    'of %s say that their folder is not there',
    async (language) => {
      const before = pool.list().length;
      const start = pool.createContext({ language, cwd: '/no/such/folder' });
      await expect(start).rejects.toThrow(KernelStartError);
      await expect(start).rejects.toThrow(/kernel could not be started: .*(no such|cannot be)/i);
      expect(pool.list()).toHaveLength(before);
    },
  );

  it('of unknown languages are refused', async () => {
    await expect(pool.createContext({ language: 'r' })).rejects.toThrow(UnsupportedLanguageError);
    expect(() => pool.execute({ language: 'toString' }, '1')).toThrow(
      'There is no kernel for tostring',
    );
  });
});

describe('turns', () => {
  it('are taken in the order of the calls, one at a time', async () => {
    const { id } = await pool.createContext();
    const all = [];
    for (let n = 0; n < 5; n += 1) {
      const code = `seen = globals().get('seen', []) + [${n}]\nseen`;
      all.push(told(pool.execute({ contextId: id }, code)));
    }
    expect(pool.get(id).isBusy).toBe(true);
    const told5 = await Promise.all(all);
    expect(told5.map(({ text }) => text).at(-1)).toBe('[0, 1, 2, 3, 4]');
    expect(told5.map(({ count }) => count)).toEqual([1, 2, 3, 4, 5]);
    expect(pool.get(id).isBusy).toBe(false);
    await pool.remove(id);
  });

  it('of different contexts do not wait for each other', async () => {
    const dir = folder();
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    const [a, b] = await Promise.all([pool.createContext(), pool.createContext()]);
    // Each end of the pipe opens only when the other does.
    const read = told(pool.execute({ contextId: a.id }, `open('${dir}/pipe').read()`));
    const write = told(pool.execute({ contextId: b.id }, `open('${dir}/pipe', 'w').write('met')`));
    expect([(await read).text, (await write).text]).toEqual(["'met'", '3']);
    await Promise.all([pool.remove(a.id), pool.remove(b.id)]);
  });
});

describe.each(LANGUAGES)('stopping %s', (language) => {
  it('interrupts, and keeps the state', async () => {
    await told(pool.execute({ language }, SET[language]));
    const stop = new AbortController();
    const events = await whenPrinted(
      pool.execute({ language }, ENDLESS[language], { signal: stop.signal }),
      () => stop.abort(),
    );
    expect(events.at(-2)?.type).toBe('error');
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'interrupted', stateLost: false });
    expect((await told(pool.execute({ language }, GET[language]))).stdout).toBe('1\n');
  });

  it('after a time', async () => {
    const { end } = await told(pool.execute({ language }, ENDLESS[language], { timeoutMs: 1 }));
    expect(end).toEqual({ type: 'end', reason: 'timeout', stateLost: false });
  });

  it('kills what does not listen, and starts anew', async () => {
    await told(impatient.execute({ language }, SET[language]));
    const { error, end } = await told(
      impatient.execute({ language }, DEAF[language], { timeoutMs: 50 }),
    );
    expect(error?.name).toBe('KernelKilled');
    expect(end).toEqual({ type: 'end', reason: 'timeout', stateLost: true });
    expect((await told(impatient.execute({ language }, GET[language]))).stdout).toBe('None\n');
  });

  it('happens when the reader leaves', async () => {
    await told(pool.execute({ language }, SET[language]));
    for await (const event of pool.execute({ language }, ENDLESS[language])) {
      if (event.type === 'stdout') break;
    }
    expect((await told(pool.execute({ language }, GET[language]))).stdout).toBe('1\n');
  });

  it('reports a crash, and starts anew', async () => {
    await told(pool.execute({ language }, SET[language]));
    const code = {
      python: 'print("last words"); import os; os.kill(os.getpid(), 9)',
      javascript: 'console.log("last words"); process.kill(process.pid, "SIGKILL")',
      bash: 'echo last words; kill -9 $$',
    };
    const { stdout, error, end } = await told(pool.execute({ language }, code[language]));
    expect(stdout).toBe('last words\n');
    expect(error).toMatchObject({ name: 'KernelDied', value: expect.stringContaining('137') });
    expect(end).toEqual({ type: 'end', reason: 'crashed', stateLost: true });
    expect(await told(pool.execute({ language }, GET[language]))).toMatchObject({
      stdout: 'None\n',
      count: 1,
    });
  });
});

describe('stopping', () => {
  it('reaches child processes, and awaiting code', async () => {
    const waits = [
      ['python', 'import subprocess\nprint("on")\nsubprocess.run(["sleep", "1000"])'],
      [
        'python',
        'import asyncio\nprint("on")\nasync def wait(): await asyncio.sleep(1000)\nawait wait()',
      ],
      ['javascript', 'console.log("on"); await new Promise(() => {})'],
      // Bash 5.2 itself may hang when a signal comes while it starts a program: let that run first.
      ['bash', "sh -c 'echo on; exec sleep 1000'"],
    ] as const;
    for (const [language, code] of waits) {
      const events = await whenPrinted(pool.execute({ language }, code), () => {
        pool.interrupt(pool.defaultContext(language).id);
      });
      expect(events.at(-1)).toEqual({ type: 'end', reason: 'interrupted', stateLost: false });
    }
  });

  it.each([
    [
      'an interrupt that a finalizer drops',
      'python',
      'class Last:\n  def __del__(self):\n    print("on")\n    while True: pass\nlast = Last()\ndel last\nwhile True: pass',
    ],
    [
      'a program that missed the signal',
      'bash',
      `bash -c 'trap "trap - INT" INT; echo on; while :; do sleep 0.01; done'`,
    ],
  ] as const)('asks again: %s', async (_, language, code) => {
    const events = await whenPrinted(pool.execute({ language }, code), () => {
      pool.interrupt(pool.defaultContext(language).id);
    });
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'interrupted', stateLost: false });
  });

  it('shows where Python was', async () => {
    const awaiting =
      'import asyncio\nasync def nap():\n  asyncio.get_running_loop().call_soon(print, "on")\n  await asyncio.sleep(1000)\nawait nap()';
    for (const code of [ENDLESS.python, awaiting]) {
      const stop = new AbortController();
      const events = await whenPrinted(pool.execute({}, code, { signal: stop.signal }), () => {
        stop.abort();
      });
      const error = events.at(-2);
      expect(error).toMatchObject({ type: 'error', name: 'KeyboardInterrupt', value: '' });
      const traceback = error?.type === 'error' ? error.traceback : '';
      expect(traceback).toMatch(/^Traceback .*\n {2}File "<cell \d+>", line \d, in <module>\n/);
      expect(traceback).not.toContain('cubeshift');
      if (code === awaiting) expect(traceback).toContain('    await asyncio.sleep(1000)\n');
    }
  });

  it('what waits for its turn ends it at once, and keeps it from running', async () => {
    const { id } = await pool.createContext();
    const stop = new AbortController();
    const first = pool.execute({ contextId: id }, ENDLESS.python);
    const second = told(pool.execute({ contextId: id }, 'ran = 1', { signal: stop.signal }));
    const left = pool.execute({ contextId: id }, 'ran = 1');
    stop.abort();
    await left.return?.();
    expect((await second).events).toEqual([
      { type: 'end', reason: 'interrupted', stateLost: false },
    ]);
    await whenPrinted(first, () => pool.interrupt(id));
    const after = await told(pool.execute({ contextId: id }, 'ran'));
    expect(after).toMatchObject({ error: { name: 'NameError' }, count: 2 });
    await pool.remove(id);
  });

  it('is nothing when nothing runs', async () => {
    await told(pool.execute({}, 'kept = 1'));
    pool.interrupt(pool.defaultContext().id);
    expect((await told(pool.execute({}, 'kept'))).text).toBe('1');
  });

  it('refuses what already was stopped', async () => {
    const { events } = await told(pool.execute({}, '1', { signal: AbortSignal.abort() }));
    expect(events).toEqual([{ type: 'end', reason: 'interrupted', stateLost: false }]);
  });
});

describe('flow', () => {
  /** The pool's processes, so that a test can see them held back and gone. */
  function watched(): { pool: KernelPool; processes: KernelProcess[] } {
    const processes: KernelProcess[] = [];
    const spawn: SpawnInSandbox = async (spec) => {
      const process = await spawnHere(spec);
      processes.push(process);
      return process;
    };
    return { pool: new KernelPool({ spawn, graceMs: 50_000 }), processes };
  }

  it('is held back while nobody reads, and nothing is lost', async () => {
    const { pool, processes } = watched();
    await told(pool.execute({}, ''));
    const paused = new Promise((resolve) => processes.at(-1)?.stdout.once('pause', resolve));
    const events = pool.execute({}, 'for n in range(100000): print("line", n, "x" * 80)');
    await paused;
    const { stdout } = await told(events);
    expect(stdout.split('\n').length).toBe(100_001);
    expect(stdout.endsWith(`line 99999 ${'x'.repeat(80)}\n`)).toBe(true);
    await pool.close();
  });

  it.each([
    ['python', 'while True: print("x" * 1000)'],
    ['python', 'import os\nos.system("yes")'],
    ['javascript', 'while (true) console.log("x".repeat(1000))'],
    ['bash', 'yes'],
    ['python', 'while True: display({"text/plain": "x" * 1000}, raw=True)'],
  ])('without end is stopped though nobody reads: %s %s', async (language, code) => {
    const { pool, processes } = watched();
    await told(pool.execute({ language }, ''));
    const paused = new Promise((resolve) => processes.at(-1)?.stdout.once('pause', resolve));
    const events = pool.execute({ language }, code);
    await paused;
    pool.interrupt(pool.defaultContext(language).id);
    expect((await told(events)).end).toMatchObject({ reason: 'interrupted', stateLost: false });
    await pool.close();
  });

  it.each(['python', 'javascript'] as const)(
    'ends busy %s when its user is gone',
    async (language) => {
      const { pool, processes } = watched();
      const events = await whenPrinted(pool.execute({ language }, ENDLESS[language]), () => {
        void processes.at(-1)?.closeStdin();
      });
      expect(events.at(-1)).toEqual({ type: 'end', reason: 'crashed', stateLost: true });
      await pool.close();
    },
  );

  it('leaves no process behind', async () => {
    const { pool, processes } = watched();
    await told(pool.execute({}, 'import subprocess\nchild = subprocess.Popen(["sleep", "1000"])'));
    const { text } = await told(pool.execute({}, 'child.pid'));
    const running = told(pool.execute({ language: 'bash' }, 'sleep 1000 & wait'));
    await pool.close();
    expect((await running).end?.stateLost).toBe(true);
    await Promise.all(processes.map(({ exit }) => exit));
    // Killed, but the system may take a moment to end it and its new parent one to notice.
    const others = (): string[] =>
      execFileSync('ps', ['-o', 'stat=', '-p', `${text},${process.pid}`])
        .toString()
        .trim()
        .split('\n')
        .filter((state) => !state.startsWith('Z'));
    await expect.poll(others, { timeout: 20_000 }).toHaveLength(1);
  });
});

describe('what cannot be', () => {
  it.each([['a b'], ['a=b'], ['']])('is refused: a variable named %j', (name) => {
    expect(() => pool.execute({}, '1', { env: { [name]: '1' } })).toThrow(KernelInputError);
    expect(() => pool.execute({}, '1', { env: { A: '\0' } })).toThrow('contains a NUL');
  });

  it('is told when the interpreter is missing, and works once it is there', async () => {
    const dir = folder();
    const which = (name: string): string => execFileSync('which', [name]).toString().trim();
    symlinkSync(which('sh'), join(dir, 'sh'));
    const poor = new KernelPool({ spawn: spawnHere, env: { PATH: dir } });
    await expect(told(poor.execute({}, '1'))).rejects.toThrow(InterpreterMissingError);
    await expect(poor.createContext({ language: 'ts' })).rejects.toThrow(
      'The sandbox cannot run typescript: node not found on its PATH',
    );
    symlinkSync(realpathSync(which('node')), join(dir, 'node'));
    expect((await told(poor.execute({ language: 'js' }, '1 + 1'))).text).toBe('2');
    await poor.close();
  });

  it('is told when the sandbox starts no processes, or the wrong one', async () => {
    const none = new KernelPool({ spawn: () => Promise.reject(new Error('it is paused')) });
    await expect(told(none.execute({}, '1'))).rejects.toThrow(KernelStartError);
    await expect(told(none.execute({}, '1'))).rejects.toThrow('it is paused');
    const dir = folder();
    writeFileSync(join(dir, 'python3'), '#!/bin/sh\necho "python3 is broken" >&2; exit 4\n');
    chmodSync(join(dir, 'python3'), 0o755);
    const broken = new KernelPool({
      spawn: spawnHere,
      env: { PATH: `${dir}:${process.env.PATH}` },
    });
    await expect(broken.createContext()).rejects.toThrow(
      'The python kernel could not be started: python3 is broken',
    );
  });

  it('does not need more than the standard library of Python', async () => {
    const dir = folder();
    const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)']);
    writeFileSync(join(dir, 'python3'), `#!/bin/sh\nexec ${python.toString().trim()} -S "$@"\n`);
    chmodSync(join(dir, 'python3'), 0o755);
    const bare = new KernelPool({ spawn: spawnHere, env: { PATH: `${dir}:${process.env.PATH}` } });
    const code =
      'from IPython.display import display, HTML, Markdown\nimport IPython\ndisplay(HTML("<b>"))\nIPython.display.Markdown("*")';
    expect((await told(bare.execute({}, code))).results).toMatchObject([
      { data: { 'text/html': '<b>' } },
      { data: { 'text/markdown': '*' } },
    ]);
    await bare.close();
  });
});
