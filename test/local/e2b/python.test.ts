import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { KEY, PATIENCE, reasonToSkip, type Served, serve } from './support.ts';

/** An interpreter that has `e2b`, `e2b-code-interpreter` and `cubesandbox`. */
const python = process.env.CUBESHIFT_TEST_PYTHON;
const missing = await reasonToSkip();
const why =
  python === undefined
    ? ' (CUBESHIFT_TEST_PYTHON names no interpreter)'
    : missing === undefined
      ? ''
      : ` (not on this machine: ${missing})`;

const E2B = `
from e2b import Sandbox
s = Sandbox.create(timeout=60, metadata={'k': 'v'}, envs={'GREETING': 'hello'})
assert s.commands.run('echo $GREETING; id -un').stdout == 'hello\\nuser\\n'
try:
    s.commands.run('exit 3')
    raise SystemExit('no error')
except Exception as e:
    assert e.exit_code == 3, e
assert s.files.write('dir/x', 'text').path == '/home/user/dir/x'
assert s.files.read('dir/x') == 'text'
assert [f.name for f in s.files.list('dir')] == ['x']
assert s.get_info().state.value == 'running' and s.is_running()
assert [i.sandbox_id for i in Sandbox.list().next_items()] == [s.sandbox_id]
s.pause()
assert s.get_info().state.value == 'paused'
again = Sandbox.connect(s.sandbox_id)
assert again.files.read('dir/x') == 'text'
snapshot = again.create_snapshot()
copy = Sandbox.create(template=snapshot.snapshot_id, timeout=60)
assert copy.files.read('dir/x') == 'text'
assert copy.kill() and again.kill() and not again.kill()
print('done')
`;

const INTERPRETER = `
from e2b_code_interpreter import Sandbox
s = Sandbox.create()
e = s.run_code('x = 1\\nprint("out")\\nx + 1')
assert e.text == '2' and e.logs.stdout == ['out\\n'], e
assert s.run_code('1/0').error.name == 'ZeroDivisionError'
s.kill()
print('done')
`;

const CUBE = `
from cubesandbox import Sandbox
s = Sandbox.create()
assert s.commands.run('echo hi').stdout == 'hi\\n'
s.files.write('/tmp/x', 'then')
snapshot = s.create_snapshot('one')
s.files.write('/tmp/x', 'now')
s.rollback(snapshot.snapshot_id)
assert s.files.read('/tmp/x') == 'then'
assert s.run_code('1 + 1').results[0].text == '2'
s.pause()
assert s.get_info().state.value == 'paused'
s.resume()
assert s.files.read('/tmp/x') == 'then'
s.kill()
print('done')
`;

describe.skipIf(python === undefined || missing !== undefined)(`Python clients${why}`, () => {
  let served: Served;
  afterEach(() => served?.close(), PATIENCE);

  async function run(program: string, env: Record<string, string>): Promise<string> {
    const options = { env: { PATH: process.env.PATH ?? '', ...env } };
    const { stdout } = await promisify(execFile)(python ?? '', ['-c', program], options);
    return stdout;
  }

  test.each([
    ['e2b', E2B],
    ['e2b-code-interpreter', INTERPRETER],
  ])('%s on E2B', { timeout: PATIENCE }, async (_name, program) => {
    served = await serve({ flavor: 'e2b' });
    const { url } = served;
    const env = { E2B_API_KEY: KEY, E2B_API_URL: url, E2B_SANDBOX_URL: url };
    expect(await run(program, env)).toBe('done\n');
  });

  test('cubesandbox on CubeSandbox', { timeout: PATIENCE }, async () => {
    served = await serve({ flavor: 'cube' });
    const output = await run(CUBE, {
      CUBE_API_URL: served.url,
      CUBE_API_KEY: KEY,
      CUBE_TEMPLATE_ID: served.front.defaultTemplate,
      CUBE_PROXY_NODE_IP: '127.0.0.1',
      CUBE_PROXY_PORT_HTTP: `${served.port}`,
      CUBE_PROXY_SCHEME: 'http',
    });
    expect(output).toBe('done\n');
  });
});
