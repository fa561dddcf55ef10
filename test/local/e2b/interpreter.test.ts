import { Sandbox } from '@e2b/code-interpreter';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, PATIENCE, reasonToSkip, type Served, serve } from './support.ts';

const missing = await reasonToSkip();
const why = missing === undefined ? '' : ` (not on this machine: ${missing})`;

describe.skipIf(missing !== undefined)(`@e2b/code-interpreter 2.8.0${why}`, () => {
  let served: Served;
  let sandbox: Sandbox;
  beforeAll(async () => {
    served = await serve({ flavor: 'e2b' });
    sandbox = await Sandbox.create({ ...served.connection, envs: { GREETING: 'hello' } });
  }, PATIENCE);
  afterAll(async () => {
    await served?.close();
    expect(served?.failures).toEqual([]);
  }, PATIENCE);

  test('code keeps its state, prints and has a value', { timeout: PATIENCE }, async () => {
    expect((await sandbox.getInfo()).name).toBe('code-interpreter-v1');
    await sandbox.runCode('x = 20');
    const lines: string[] = [];
    const execution = await sandbox.runCode(
      'print("out"); import sys; print("err", file=sys.stderr); x + 1',
      {
        onStdout: ({ line }) => void lines.push(line),
      },
    );
    expect(execution.text).toBe('21');
    expect(execution.logs).toEqual({ stdout: ['out\n'], stderr: ['err\n'] });
    expect(execution.executionCount).toBe(2);
    expect(lines).toEqual(['out\n']);
  });

  test('a string is shown without its quotes, other formats by name', {
    timeout: PATIENCE,
  }, async () => {
    expect((await sandbox.runCode('"it is"')).text).toBe('it is');
    const rich = await sandbox.runCode(
      'class R:\n  def _repr_html_(self): return "<b>1</b>"\n  def __repr__(self): return "R"\nR()',
    );
    expect(rich.results).toMatchObject([{ isMainResult: true, text: 'R', html: '<b>1</b>' }]);
  });

  test('errors of code are values', { timeout: PATIENCE }, async () => {
    const { error, results } = await sandbox.runCode('1/0');
    expect(results).toEqual([]);
    expect(error).toMatchObject({ name: 'ZeroDivisionError', value: 'division by zero' });
    expect(error?.traceback).toContain('line 1');
  });

  test('JavaScript has a context of its own', { timeout: PATIENCE }, async () => {
    await sandbox.runCode('const y = 5', { language: 'js' });
    expect(
      await sandbox.runCode('console.log(1); y + 1', { language: 'javascript' }),
    ).toMatchObject({
      text: '6',
      logs: { stdout: ['1\n'] },
    });
  });

  test('variables of the sandbox and of one run', { timeout: PATIENCE }, async () => {
    const code = 'import os; (os.environ.get("GREETING"), os.environ.get("OWN"))';
    expect((await sandbox.runCode(code, { envs: { OWN: 'you' } })).text).toBe("('hello', 'you')");
    expect((await sandbox.runCode(code)).text).toBe("('hello', None)");
  });

  test('contexts are made, listed, restarted and removed', { timeout: PATIENCE }, async () => {
    const context = await sandbox.createCodeContext({ cwd: '/tmp', language: 'python' });
    expect(context).toMatchObject({ language: 'python', cwd: '/tmp' });
    const where = 'import os; os.getcwd()';
    expect((await sandbox.runCode(where, { context })).text).toBe('/tmp');
    expect((await sandbox.runCode(where)).text).toBe('/home/user');
    const languages = (await sandbox.listCodeContexts()).map(({ language }) => language);
    expect(languages).toEqual(['python', 'javascript', 'python']);
    await sandbox.runCode('kept = 1', { context });
    await sandbox.restartCodeContext(context);
    expect((await sandbox.runCode('kept', { context })).error?.name).toBe('NameError');
    await sandbox.removeCodeContext(context);
    const gone = await failure(sandbox.runCode('1', { context }));
    expect(gone.message).toContain(`Context ${context.id} not found`);
  });

  test('a context and a language together are refused; so is a language nobody speaks', async () => {
    const headers = {
      'e2b-sandbox-id': sandbox.sandboxId,
      'e2b-sandbox-port': '49999',
      'content-type': 'application/json',
    };
    const execute = async (body: object): Promise<[number, string]> => {
      const options = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${served.url}/execute`, options);
      return [response.status, await response.text()];
    };
    expect(await execute({ code: '1', context_id: 'x', language: 'python' })).toEqual([
      400,
      'Only one of context_id or language can be provided',
    ]);
    expect((await execute({ code: '1', language: 'cobol' }))[0]).toBe(500);
    expect((await execute({}))[0]).toBe(422);
    expect(await execute({ code: '1' })).toEqual([
      200,
      expect.stringMatching(
        /^\{"type":"number_of_executions".*\n.*\n\{"type":"end_of_execution"\}\n$/,
      ),
    ]);
  });

  test('on Cube kernels do not see the variables of create', { timeout: PATIENCE }, async () => {
    const cube = await serve({ flavor: 'cube' });
    try {
      const own = await Sandbox.create(cube.front.defaultTemplate, {
        ...cube.connection,
        envs: { GREETING: 'hello' },
      });
      const { text } = await own.runCode('import os; os.environ.get("GREETING", "unset")');
      expect(text).toBe('unset');
    } finally {
      await cube.close();
    }
  });
});
