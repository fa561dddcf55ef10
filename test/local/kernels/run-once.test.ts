import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  InterpreterMissingError,
  KernelInputError,
  type RunOnceOptions,
  type RunOnceResult,
  runOnce,
  type SpawnInSandbox,
  UnsupportedLanguageError,
} from '../../../src/local/kernels/index.ts';
import { spawnHere } from './sandbox.ts';

const run = (code: string, options: Partial<RunOnceOptions> = {}): Promise<RunOnceResult> =>
  runOnce({ spawn: spawnHere, code, ...options });

describe('runOnce', () => {
  it('is a fresh process every time', async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'once-')));
    expect((await run('x = 1', { cwd })).exitCode).toBe(0);
    const { exitCode, output } = await run('import os; print(os.getcwd()); x', { cwd });
    expect(exitCode).toBe(1);
    expect(output).toBe(
      `${cwd}\nTraceback (most recent call last):\n  File "<stdin>", line 1, in <module>\nNameError: name 'x' is not defined\n`,
    );
  });

  it('keeps the order of both streams, and gives the exit code', async () => {
    const code =
      'import sys, os\nfor n in range(3):\n  print(n); sys.stderr.write("e\\n"); os.system("echo c")\nsys.exit(7)';
    expect(await run(code)).toEqual({
      exitCode: 7,
      output: '0\ne\nc\n1\ne\nc\n2\ne\nc\n',
      charts: [],
    });
  });

  it.each([
    [
      'python',
      'import sys, os; print(sys.argv, os.environ["KFOO"])',
      "['-', 'a b', '$HOME'] bar\n",
    ],
    ['js', 'console.log(process.argv.slice(1), process.env.KFOO)', "[ '-', 'a b', '$HOME' ] bar\n"],
    [
      'ts',
      'const a: string[] = process.argv.slice(1); console.log(a, process.env.KFOO)',
      "[ '-', 'a b', '$HOME' ] bar\n",
    ],
    ['bash', 'printf "%s|" "$@"; echo "$KFOO"', 'a b|$HOME|bar\n'],
  ])('passes arguments and variables to %s', async (language, code, output) => {
    const options = { language, argv: ['a b', '$HOME'], env: { KFOO: 'bar' } };
    expect(await run(code, options)).toMatchObject({ exitCode: 0, output });
  });

  it('lets a shell read the arguments, if asked, as Daytona does', async () => {
    const code = 'import sys; print(sys.argv[1:])';
    const options = { argv: ['a b', '$KFOO'], argvByShell: true, env: { KFOO: 'bar' } };
    expect((await run(code, options)).output).toBe("['a', 'b', 'bar']\n");
  });

  it('runs TypeScript with imports, and tells what is wrong with it', async () => {
    const code =
      'import { sep } from "node:path"; enum E { A } ; const s: string = sep; console.log(s, E.A)';
    expect(await run(code, { language: 'typescript' })).toMatchObject({ output: '/ 0\n' });
    expect(await run('const x: = 1', { language: 'typescript' })).toMatchObject({
      exitCode: 1,
      output: 'SyntaxError: Type expected. (1:10)\n',
    });
    const thrown = await run('throw new Error("boo")', { language: 'typescript' });
    expect(thrown.exitCode).toBe(1);
    expect(thrown.output).toContain('Error: boo');
  });

  it('has no input', async () => {
    expect((await run('input()')).output).toContain('EOFError');
    expect(
      (await run('console.log(require("fs").readFileSync(0, "utf8") === "")', { language: 'js' }))
        .output,
    ).toBe('true\n');
  });

  it('takes large programs and output, and bytes that are no text', async () => {
    const code = `x = """${'y'.repeat(1_000_000)}"""\nprint(x)\nimport os; os.write(1, b"\\xff")`;
    expect((await run(code)).output).toBe(
      `\ufffd${'y'.repeat(1_000_000)}\n`.replace(/^(.)(.*\n)$/s, '$2$1'),
    );
  });

  it('kills what takes too long or is not wanted any more, with its children', async () => {
    const endless = 'import subprocess\nsubprocess.run(["sleep", "1000"])';
    expect(await run(endless, { timeoutMs: 50 })).toMatchObject({
      killed: 'timeout',
      exitCode: 137,
    });
    expect(await run(endless, { signal: AbortSignal.abort() })).toMatchObject({
      killed: 'aborted',
    });
  });

  it('survives a program that ends without reading itself', async () => {
    const impatient: SpawnInSandbox = (spec) =>
      spawnHere(spec.argv.includes('-u') ? { ...spec, argv: ['sh', '-c', 'exit 5'] } : spec);
    const code = '#'.repeat(1_000_000);
    expect(await runOnce({ spawn: impatient, code })).toMatchObject({ exitCode: 5, output: '' });
  });

  it('refuses what cannot be', async () => {
    await expect(run('1', { language: 'ruby' })).rejects.toThrow(UnsupportedLanguageError);
    await expect(run('1', { env: { 'A B': '1' } })).rejects.toThrow(KernelInputError);
    const missing: SpawnInSandbox = (spec) =>
      spawnHere({ ...spec, argv: spec.argv.map((word) => (word === 'node' ? 'no-node' : word)) });
    await expect(runOnce({ spawn: missing, code: '1', language: 'js' })).rejects.toThrow(
      InterpreterMissingError,
    );
  });
});
