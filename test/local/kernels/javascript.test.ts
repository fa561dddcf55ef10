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
  told(pool.execute({ language: 'javascript' }, code, options));
const runTs = (code: string): Promise<Told> => told(pool.execute({ language: 'typescript' }, code));

describe('JavaScript', () => {
  it('keeps const, let, functions and classes, and lets them be declared again', async () => {
    await run('const a = 1; let b = 2; function f() { return a + b } class C {}');
    expect((await run('[f(), typeof C]')).text).toBe("[ 3, 'function' ]");
    expect((await run('const a = 5; a')).text).toBe('5');
    expect((await run('b += 1; b')).text).toBe('3');
  });

  it.each([
    ['1 + 1', '2'],
    ['"text"', "'text'"],
    ['null', 'null'],
    ['-0', '-0'],
    ['NaN', 'NaN'],
    ['10n', '10n'],
    ['({ a: [1] })', '{ a: [ 1 ] }'],
    ['Symbol("s")', 'Symbol(s)'],
    ['if (true) { 7 }', '7'],
    ['await Promise.resolve("x")', "'x'"],
    ['const q = await 5; q', '5'],
    ['Promise.resolve(6)', 'Promise { 6 }'],
  ])('shows %s as %s', async (code, text) => {
    expect((await run(code)).text).toBe(text);
  });

  it.each(['undefined', 'const n = 1', '', '// nothing'])('shows nothing for %j', async (code) => {
    expect(await run(code)).toMatchObject({ results: [], error: undefined });
  });

  it('loads modules in every way, from the current folder', async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kernel-')));
    writeFileSync(join(dir, 'esm.mjs'), 'export default 1; export const two = 2;');
    writeFileSync(join(dir, 'cjs.cjs'), 'module.exports = { three: 3 };');
    writeFileSync(join(dir, 'data.json'), '{"four":4}');
    await run(`process.chdir(${JSON.stringify(dir)})`);
    await run("import one, { two as zwei } from './esm.mjs'\nimport * as all from './esm.mjs'");
    expect((await run('[one, zwei, all.two]')).text).toBe('[ 1, 2, 2 ]');
    expect((await run("require('./cjs.cjs').three")).text).toBe('3');
    expect((await run("(await import('./esm.mjs')).two")).text).toBe('2');
    expect((await run("require('./data.json').four")).text).toBe('4');
    expect(
      (await run("import { readFileSync } from 'fs'\nimport 'node:os'\ntypeof readFileSync")).text,
    ).toBe("'function'");
    expect((await run("import none from './none.mjs'")).error?.value).toContain('none.mjs');
    expect((await run("await import('no-such-package')")).error?.value).toContain(
      'no-such-package',
    );
    expect(
      (await run('export const exported = 8; export default function g() {}')).error,
    ).toBeUndefined();
    expect((await run('[exported, typeof g]')).text).toBe("[ 8, 'function' ]");
  });

  it('does not touch the word import in texts', async () => {
    expect((await run('"import(x)" + /* import y */ " export z"')).text).toBe(
      "'import(x) export z'",
    );
  });

  it('gives output in order, of child processes too', async () => {
    const { events, stdout } = await run(
      'console.log("1"); console.error("2"); process.stdout.write("3\\n"); require("child_process").execSync("echo 4", { stdio: "inherit" }); console.log(5)',
    );
    expect(events.slice(1, 4)).toEqual([
      { type: 'stdout', text: '1\n' },
      { type: 'stderr', text: '2\n' },
      { type: 'stdout', text: expect.stringMatching(/^3\n/) },
    ]);
    expect(stdout).toBe('1\n3\n4\n5\n');
  });

  it('takes raw writes and bytes that are no text, and has no input', async () => {
    const code =
      'const fs = require("fs"); fs.writeSync(1, Buffer.from([0xff, 10])); fs.writeSync(2, "err\\n"); fs.readFileSync(0, "utf8")';
    expect(await run(code)).toMatchObject({ stdout: '\ufffd\n', stderr: 'err\n', text: "''" });
  });

  it('displays on the way and by Jupyter.display', async () => {
    const { results } = await run(
      'display({ "text/html": "<b>" }, { raw: true }); await display([1]); ({ [Symbol.for("Jupyter.display")]: () => ({ "image/png": "aa" }) })',
    );
    expect(results).toMatchObject([
      { isMain: false, data: { 'text/html': '<b>' } },
      { isMain: false, data: { 'text/plain': '[ 1 ]' } },
      { isMain: true, data: { 'image/png': 'aa' } },
    ]);
  });

  it('tells errors with the frames of the cell only', async () => {
    const { error, count } = await run('function f() {\n  throw new TypeError("no")\n}\nf()');
    expect(error).toEqual({
      type: 'error',
      name: 'TypeError',
      value: 'no',
      traceback: `TypeError: no\n    at f (cell-${count}.js:2:9)\n    at cell-${count}.js:4:1`,
    });
    expect((await run('await Promise.reject(new RangeError("late"))')).error?.name).toBe(
      'RangeError',
    );
    expect((await run('throw { code: 1 }')).error).toMatchObject({
      name: 'Error',
      value: '{ code: 1 }',
    });
    expect((await run('undefinedName')).error?.name).toBe('ReferenceError');
  });

  it('points to the place of syntax errors', async () => {
    const { error, count } = await run('let ok = 1\nlet a = ;');
    expect(error).toMatchObject({ name: 'SyntaxError', value: "Unexpected token ';'" });
    expect(error?.traceback).toContain(`cell-${count}.js:2\nlet a = ;\n        ^\n`);
  });

  it('survives what fails outside of a cell', async () => {
    const { stderr, text } = await run(
      'setTimeout(() => { throw new Error("in a timer") }); Promise.reject(new Error("forgotten")); await new Promise((r) => setTimeout(r, 5)); 1',
    );
    expect(stderr).toContain('in a timer');
    expect(stderr).toContain('forgotten');
    expect(text).toBe('1');
  });

  it('survives a value that cannot be shown', async () => {
    const code = '({ [require("util").inspect.custom]() { throw new Error("inspect") } })';
    expect((await run(code)).error?.value).toBe('inspect');
    expect((await run('1')).text).toBe('1');
  });

  it('shows environment variables to one execution only', async () => {
    expect((await run('process.env.KFOO', { env: { KFOO: 'bar' } })).text).toBe("'bar'");
    expect((await run('process.env.KFOO ?? "none"')).text).toBe("'none'");
  });

  it('passes results of many megabytes', async () => {
    const { results } = await run('display({ "text/plain": "ü".repeat(3e6) }, { raw: true }); 0');
    expect(results[0]?.data['text/plain']).toBe('ü'.repeat(3e6));
  });

  it('ends with process.exit, and starts anew', async () => {
    await run('globalThis.kept = 1');
    const { error, end } = await run('process.exit(4)');
    expect(error?.value).toContain('exit code 4');
    expect(end).toEqual({ type: 'end', reason: 'crashed', stateLost: true });
    expect((await run('typeof kept')).text).toBe("'undefined'");
  });
});

describe('TypeScript', () => {
  it('runs with types, enums and imports that a later cell uses', async () => {
    const code =
      'import { sep } from "node:path"; enum E { A = 3 } const s: string = "x"; console.log(s)';
    expect((await runTs(code)).stdout).toBe('x\n');
    expect((await runTs('const e: E = E.A; [e, sep] as const')).text).toBe("[ 3, '/' ]");
    expect(
      (await runTs('interface I { a: number }\n(await import("node:os")).EOL as string')).text,
    ).toBe("'\\n'");
  });

  it('tells syntax errors', async () => {
    expect((await runTs('const x: = 1')).error).toEqual({
      type: 'error',
      name: 'SyntaxError',
      value: 'Type expected. (1:10)',
      traceback: 'SyntaxError: Type expected. (1:10)',
    });
  });
});
