import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExecuteOptions, KernelPool } from '../../../src/local/kernels/index.ts';
import { spawnHere, type Told, told } from './sandbox.ts';

let pool: KernelPool;
beforeAll(() => {
  pool = new KernelPool({ spawn: spawnHere });
});
afterAll(() => pool.close());

const run = (code: string, options?: ExecuteOptions): Promise<Told> =>
  told(pool.execute({ language: 'bash' }, code, options));

describe('Bash', () => {
  it('keeps variables, functions and the working folder', async () => {
    await run('x="a b"; f() { echo "f $1"; }; cd /usr');
    expect((await run('f "$x"; pwd')).stdout).toBe('f a b\n/usr\n');
  });

  it('keeps both streams apart, and has no input', async () => {
    expect(await run('echo out; echo err >&2; cat; read x; printf end')).toMatchObject({
      stdout: 'out\nend',
      stderr: 'err\n',
      error: undefined,
    });
  });

  it('tells the exit status of the last command when it failed', async () => {
    expect((await run('echo a; (exit 3)')).error).toMatchObject({ name: '', value: '3' });
    const unclosed = await run('echo "unclosed');
    expect(unclosed.stderr).toContain('unexpected EOF');
    expect(unclosed.error?.value).toBe('2');
  });

  it('survives options and redirections that would silence it', async () => {
    await run('set -eu; exec >/dev/null 2>&1; false; echo x');
    expect((await run('echo "${unset_name:-fine}"; false; echo on')).stdout).toBe('fine\non\n');
  });

  it('shows environment variables to one execution only', async () => {
    await run('export KOLD="o\'l d"; KPLAIN=p');
    const env = { KOLD: 'new', KPLAIN: 'new', KFOO: 'a "b"\n$c' };
    expect((await run('env | grep ^KOLD; echo "$KPLAIN"; echo "$KFOO"', { env })).stdout).toBe(
      'KOLD=new\nnew\na "b"\n$c\n',
    );
    expect((await run('env | grep ^KOLD; echo "$KPLAIN ${KFOO:-none}"')).stdout).toBe(
      "KOLD=o'l d\np none\n",
    );
  });

  it('takes long cells with many lines', async () => {
    expect((await run(`${'x=1\n'.repeat(20_000)}echo ü`)).stdout).toBe('ü\n');
  });

  it('ends with exit, and starts anew', async () => {
    const { error, end } = await run('kept=1; exit 7');
    expect(error?.value).toContain('exit code 7');
    expect(end?.reason).toBe('crashed');
    expect((await run('echo "${kept:-none}"')).stdout).toBe('none\n');
  });
});
