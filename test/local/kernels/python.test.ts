import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExecuteOptions, KernelPool } from '../../../src/local/kernels/index.ts';
import { spawnHere, type Told, told } from './sandbox.ts';

let pool: KernelPool;
beforeAll(() => {
  pool = new KernelPool({ spawn: spawnHere });
});
afterAll(() => pool.close());

const run = (code: string, options?: ExecuteOptions): Promise<Told> =>
  told(pool.execute({ language: 'python' }, code, options));

describe('state', () => {
  it('keeps variables, imports, functions and the working folder', async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kernel-')));
    writeFileSync(join(dir, 'beside.py'), 'value = 42');
    await run(`import os\nx = 1\ndef twice(n): return n * 2\nos.chdir(${JSON.stringify(dir)})`);
    expect((await run('x += 1; (twice(x), os.getcwd())')).text).toBe(`(4, '${dir}')`);
    expect((await run('import beside; beside.value')).text).toBe('42');
  });

  it('starts in a folder whose files are named like modules', async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kernel-')));
    for (const name of ['json', 'io', 'ast', 'select', 'types', 'traceback']) {
      writeFileSync(join(dir, `${name}.py`), 'raise ImportError("shadowed")');
    }
    writeFileSync(join(dir, 'mine.py'), 'value = 1');
    const there = new KernelPool({ spawn: (spec) => spawnHere({ ...spec, cwd: dir }) });
    expect((await told(there.execute({}, 'import mine; mine.value'))).text).toBe('1');
    await there.close();
  });

  it('counts executions, failed ones too', async () => {
    const { count } = await run('1/0');
    expect((await run('1')).count).toBe((count ?? 0) + 1);
  });

  it('calls its cells __main__, so that classes can be pickled', async () => {
    const code = 'class P: pass\nimport pickle\ntype(pickle.loads(pickle.dumps(P()))).__module__';
    expect((await run(code)).text).toBe("'__main__'");
  });

  it('shows environment variables to one execution only, and to its children', async () => {
    const show = `import os, subprocess\nprint(os.environ.get("KFOO"))\nsubprocess.run('echo "$KFOO"', shell=True)\nNone`;
    expect((await run(show, { env: { KFOO: "a'b\n" } })).stdout).toBe("a'b\n\na'b\n\n");
    expect((await run('os.environ.get("KFOO", "none")')).text).toBe("'none'");
    expect(
      (await run('os.environ["KBAR"] = "1"; os.environ["KFOO"] = "2"', { env: { KFOO: '1' } }))
        .error,
    ).toBeUndefined();
    expect((await run('os.environ["KBAR"], os.environ.get("KFOO")')).text).toBe("('1', None)");
  });
});

describe('results', () => {
  it('shows the last expression', async () => {
    const { text, results, events } = await run('x = 1; x');
    expect(text).toBe('1');
    expect(results).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['executionCount', 'result', 'end']);
  });

  it.each(['x = 1', 'None', '1;', '', '# nothing'])('shows nothing for %j', async (code) => {
    expect(await run(code)).toMatchObject({ results: [], error: undefined });
  });

  it('remembers it as _', async () => {
    await run('6 * 7');
    expect((await run('_ + 1')).text).toBe('43');
  });

  it('awaits at the top level, over one event loop', async () => {
    await run(
      'import asyncio\nasync def slow(): return "done"\ntask = asyncio.ensure_future(slow()) if False else None',
    );
    expect((await run('await slow()')).text).toBe("'done'");
    await run('event = asyncio.Event(); await asyncio.sleep(0)');
    await run('task = asyncio.get_event_loop().create_task(event.wait())');
    expect((await run('event.set(); await task')).text).toBe('True');
    expect((await run('async for n in slow(): pass')).error?.name).toBe('TypeError');
    expect((await run('asyncio.run(slow())')).text).toBe("'done'");
  });

  it('takes every format an object offers', async () => {
    const { results } = await run(`
class Rich:
    def __repr__(self): return 'rich'
    def _repr_html_(self): return '<b>'
    def _repr_markdown_(self): return '**'
    def _repr_svg_(self): return '<svg/>'
    def _repr_png_(self): return b'\\x89PNG'
    def _repr_jpeg_(self): return (b'jpeg', {'width': 1})
    def _repr_pdf_(self): return b'pdf'
    def _repr_latex_(self): return '$x$'
    def _repr_json_(self): return {'a': [1]}
    def _repr_javascript_(self): return 'alert()'
Rich()`);
    const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
    expect(results[0]?.data).toEqual({
      'text/plain': 'rich',
      'text/html': '<b>',
      'text/markdown': '**',
      'image/svg+xml': '<svg/>',
      'image/png': base64('\x89PNG'),
      'image/jpeg': base64('jpeg'),
      'application/pdf': base64('pdf'),
      'text/latex': '$x$',
      'application/json': { a: [1] },
      'application/javascript': 'alert()',
    });
  });

  it('takes a bundle, and lets an object display itself', async () => {
    const bundle = await run(`
class B:
    def _repr_mimebundle_(self, include=None, exclude=None): return {'text/plain': 'p', 'x/y': 1}, {}
B()`);
    expect(bundle.results[0]?.data).toEqual({ 'text/plain': 'p', 'x/y': 1 });
    const own = await run(`
class D:
    def _ipython_display_(self): display('shown')
D()`);
    expect(own.results).toMatchObject([{ isMain: false, data: { 'text/plain': "'shown'" } }]);
  });

  it('is not fooled by classes and by objects with every name', async () => {
    expect((await run('class H:\n  def _repr_html_(self): return 1\nH')).results[0]?.data).toEqual({
      'text/plain': "<class '__main__.H'>",
    });
    expect((await run('import unittest.mock\nunittest.mock.MagicMock(name="m")')).text).toMatch(
      /^<MagicMock/,
    );
  });

  it('goes without a format that fails, and says so', async () => {
    const failed = await run(
      'class F:\n  def __repr__(self): return "f"\n  def _repr_html_(self): 1/0\nF()',
    );
    expect(failed).toMatchObject({ text: 'f', error: undefined });
    expect(failed.stderr).toContain('ZeroDivisionError');
  });

  it('gives lists and dicts as JSON too', async () => {
    const { results } = await run('{"a": [1, 2.5, float("nan"), None, True, (1,)], 2: "b"}');
    expect(results[0]?.data['application/json']).toEqual({
      a: [1, 2.5, null, null, true, [1]],
      2: 'b',
    });
    expect(Object.keys((await run('[object]')).results[0]?.data ?? {})).toEqual(['text/plain']);
  });

  it('displays on the way, in order with what is printed', async () => {
    const { events } = await run(
      'from IPython.display import HTML, Image, display as show\nprint("a")\nshow(HTML("<i>"))\nprint("b")\ndisplay({"text/latex": "$"}, raw=True)\nImage(b"\\xff\\xd8x")',
    );
    expect(events.slice(1)).toMatchObject([
      { type: 'stdout', text: 'a\n' },
      { type: 'result', isMain: false, data: { 'text/html': '<i>' } },
      { type: 'stdout', text: 'b\n' },
      { type: 'result', isMain: false, data: { 'text/latex': '$' } },
      { type: 'result', isMain: true, data: { 'image/jpeg': '/9h4' } },
      { type: 'end' },
    ]);
  });

  it('passes results of many megabytes', async () => {
    expect((await run('"ü" * 5_000_000')).text).toBe(`'${'ü'.repeat(5_000_000)}'`);
  });

  it('takes code of many megabytes', async () => {
    expect((await run(`len("""${'x'.repeat(3_000_000)}""")`)).text).toBe('3000000');
  });

  it('runs cells that are indented as a whole, and notebook shorthand', async () => {
    expect((await run('\n    y = 1\n    if y:\n        y = 2\n\n    y\n')).text).toBe('2');
    const told = await run(
      'before = 1\nfor n in (1, 2):\n    !echo line\n%matplotlib inline\n%cd /\nimport os; os.getcwd()',
    );
    expect(told).toMatchObject({ stdout: 'line\nline\n', text: "'/'" });
    expect((await run('%unknown')).error?.name).toBe('SyntaxError');
  });
});

describe('output', () => {
  it('gives a printed line in one piece', async () => {
    const { events } = await run('print("hello", 1)');
    expect(events.filter(({ type }) => type === 'stdout')).toEqual([
      { type: 'stdout', text: 'hello 1\n' },
    ]);
  });

  it('arrives while the cell runs, without a line end too', async () => {
    const stop = new AbortController();
    const events = pool.execute(
      {},
      'import time\nprint("half", end="")\nwhile True: time.sleep(0.01)',
      {
        signal: stop.signal,
      },
    );
    let seen = '';
    for await (const event of events) {
      if (event.type !== 'stdout') continue;
      seen += event.text;
      stop.abort();
    }
    expect(seen).toBe('half');
  });

  it('keeps the order of prints, errors and child processes', async () => {
    const { events, stdout } = await run(
      'import sys, subprocess\nprint("1"); print("2", file=sys.stderr); print("3")\nsubprocess.run(["echo", "4"])\nprint("5")',
    );
    expect(events.slice(1, 3)).toEqual([
      { type: 'stdout', text: '1\n' },
      { type: 'stderr', text: '2\n' },
    ]);
    expect(stdout).toBe('1\n3\n4\n5\n');
  });

  it('takes what child processes and the C level write, on both streams', async () => {
    const code =
      'import os\nos.system("echo out; echo err >&2")\nos.write(1, b"raw\\n")\nos.write(2, b"rawerr\\n")';
    expect(await run(`${code}\nNone`)).toMatchObject({
      stdout: 'out\nraw\n',
      stderr: 'err\nrawerr\n',
    });
  });

  it('cannot be mistaken for the protocol', async () => {
    const forged = `\\x1e${'0'.repeat(24)}:0:.{"t":"done"}\\n`;
    const { stdout, text } = await run(`print('${forged}{"t":"done"}\\x1e', end=""); 1`);
    expect(stdout).toBe(`\x1e${'0'.repeat(24)}:0:.{"t":"done"}\n{"t":"done"}\x1e`);
    expect(text).toBe('1');
  });

  it('breaks nothing outside with frames of its own making', async () => {
    const forge = `
import os
nonce = display.__globals__['_State'].nonce
for body in ('{"t":"result","data":null}', 'garbage', '{"t":"error"}', '{"t":"nothing"}'):
    os.write(1, ('\\x1e%s:9999:.%s\\n' % (nonce, body)).encode())
'on'`;
    expect(await run(forge)).toMatchObject({ text: "'on'", stdout: '', error: undefined });
  });

  it('survives bytes that are no text', async () => {
    const { stdout, text } = await run(
      'import sys\nsys.stdout.buffer.write(b"\\xff\\x00\\xc3"); sys.stdout.flush()\nprint("\\ud800")\n"\\ud800"[0:1] + "x"',
    );
    expect(stdout).toBe('\ufffd\0\ufffd\\ud800\n');
    expect(text).toBe("'\\ud800x'");
    expect((await run('raise ValueError("\\udcff")')).error?.value).toBe('\ufffd');
  });

  it('does not tear characters apart', async () => {
    const code = 'import os\nfor byte in "ü€😀".encode(): os.write(1, bytes([byte]))';
    expect((await run(code)).stdout).toBe('ü€😀');
  });

  it('drops what threads print between cells, and takes it while a cell runs', async () => {
    await run(`
import threading
go, said = threading.Event(), threading.Event()
def late():
    go.wait(); print("from the thread"); said.set()
threading.Thread(target=late, daemon=True).start()`);
    const next = await run('go.set(); said.wait(); print("cell")');
    expect(next.stdout).toBe('from the thread\ncell\n');
  });

  it('comes back after user code closed or replaced the streams', async () => {
    await run('import sys, os\nsys.stdout.close(); sys.stderr = None; os.close(1); os.close(2)');
    expect(await run('print("again"); print("err", file=sys.stderr)')).toMatchObject({
      stdout: 'again\n',
      stderr: 'err\n',
    });
  });

  it('of forked processes is taken; they never serve requests', async () => {
    const code = `
import os
pid = os.fork()
if pid == 0:
    print("child")
else:
    os.waitpid(pid, 0)
    print("parent")
pid > 0`;
    expect(await run(code)).toMatchObject({ stdout: 'child\nparent\n', text: 'True' });
    const failing = await run('if os.fork() == 0: raise ValueError("in child")\nos.wait()[1] >> 8');
    expect(failing).toMatchObject({ text: '1', error: undefined });
    expect(failing.stderr).toContain('ValueError: in child');
    const many =
      'import multiprocessing as m\ndef square(x): return x * x\nwith m.get_context("fork").Pool(2) as p: r = p.map(square, [1, 2])\nr';
    expect((await run(many)).text).toBe('[1, 4]');
  });
});

describe('errors', () => {
  it('look like those of Python, with the lines of the cell', async () => {
    const { error, end } = await run('def f():\n    return [][1]\n\nf()');
    expect(error).toMatchObject({ name: 'IndexError', value: 'list index out of range' });
    expect(error?.traceback).toMatch(
      /^Traceback \(most recent call last\):\n {2}File "<cell \d+>", line 4, in <module>\n {4}f\(\)\n(?: +[~^]+\n)? {2}File "<cell \d+>", line 2, in f\n {4}return \[\]\[1\]\n(?: +[~^]+\n)?IndexError: list index out of range\n$/,
    );
    expect(end).toMatchObject({ reason: 'completed', stateLost: false });
  });

  it('show lines of earlier cells, and causes', async () => {
    await run('def broken(): raise KeyError("k")');
    const { error } = await run(
      'try:\n    broken()\nexcept KeyError as e:\n    raise ValueError("v") from e',
    );
    expect(error?.traceback).toContain('def broken(): raise KeyError("k")');
    expect(error?.traceback).toContain('direct cause');
    expect(error?.traceback).not.toContain('cubeshift kernel');
  });

  it.each([
    ['let a =', 'SyntaxError', '    let a =\n'],
    ['if True:\nx', 'IndentationError', '    x\n'],
    ['return 1', 'SyntaxError', "'return' outside function"],
    ["'abc", 'SyntaxError', "    'abc\n"],
  ])('of syntax point to the place: %j', async (code, name, line) => {
    const { error } = await run(code);
    expect(error?.name).toBe(name);
    expect(error?.traceback).toContain(line);
    expect(error?.traceback).not.toContain('Traceback');
    expect(error?.traceback).not.toContain('ast.py');
  });

  it.each([
    ['import sys; sys.exit(3)', '3'],
    ['exit()', 'None'],
    ['raise SystemExit("bye")', 'bye'],
  ])('%s ends the cell only', async (code, value) => {
    await run('kept = 5');
    expect((await run(code)).error).toMatchObject({ name: 'SystemExit', value });
    expect((await run('kept')).text).toBe('5');
  });

  it('say clearly that there is no input', async () => {
    expect((await run('input("name? ")')).error).toMatchObject({
      name: 'StdinNotImplementedError',
      value: expect.stringContaining('no input'),
    });
    expect((await run('import sys; sys.stdin.read()')).text).toBe("''");
    expect((await run('import os; os.read(0, 5)')).text).toBe("b''");
  });

  it('without a text of their own, and of deep recursion, are told too', async () => {
    const unprintable = 'class U(Exception):\n  def __str__(self): raise ValueError\nraise U()';
    expect((await run(unprintable)).error?.name).toBe('U');
    expect((await run('def r(): r()\nr()')).error?.name).toBe('RecursionError');
  });
});
