import { createHash, randomBytes } from 'node:crypto';
import { isSandboxError, type SandboxProvider } from '@cubeshift/sandbox';
import * as sdk251 from 'e2b-2.51';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CubeProvider, type CubeProviderOptions } from '../../shims/src/providers/cube/index.ts';
import { DaytonaProvider } from '../../shims/src/providers/daytona/index.ts';
import { E2BProvider } from '../../shims/src/providers/e2b/index.ts';
import { type LocalServer, startLocal } from '../../src/local/index.ts';

let e2b: LocalServer;
let cube: LocalServer;
beforeAll(async () => {
  [e2b, cube] = await Promise.all([
    startLocal({ flavor: 'e2b' }),
    startLocal({ cubeVersion: '0.6.0' }),
  ]);
});
afterAll(() => Promise.all([e2b.close(), cube.close()]));

/** What is wrong at an address, by backend. */
type Backend = 'e2b' | 'cube' | 'daytona';
const BACKENDS: readonly Backend[] = ['e2b', 'cube', 'daytona'];

interface At {
  url?: string;
  apiKey?: string;
}

function make(backend: Backend, { url, apiKey }: At = {}): SandboxProvider {
  if (backend === 'daytona') {
    const { daytona } = e2b;
    return new DaytonaProvider({ apiUrl: url ?? daytona.url, apiKey: apiKey ?? daytona.apiKey });
  }
  const server = backend === 'e2b' ? e2b.e2b : cube.e2b;
  const at = url ?? server.url;
  const common = { apiUrl: at, apiKey: apiKey ?? server.apiKey, template: server.templateId };
  return backend === 'e2b'
    ? new E2BProvider({ ...common, sandboxUrl: at })
    : new CubeProvider({ ...common, proxyUrl: at });
}

function addressOf(backend: Backend): string {
  if (backend === 'daytona') return e2b.daytona.url;
  return (backend === 'e2b' ? e2b : cube).e2b.url;
}

async function problem(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isSandboxError(error)) throw new Error(`Not an error of ours: ${error}`);
  return { code: error.code, retryable: error.retryable, message: error.message };
}

describe.each(BACKENDS)('%s', (backend) => {
  it('a key that is wrong is not taken for absence', async () => {
    const provider = make(backend, { apiKey: 'e2b_00000000000000000000' });
    const unknown = { code: 'unauthorized', retryable: false };
    expect(await problem(provider.create())).toMatchObject(unknown);
    expect(await problem(provider.find('some-id'))).toMatchObject(unknown);
    expect(await problem(provider.delete('some-id'))).toMatchObject(unknown);
    await provider.close();
  });

  it('a server that is not there is nothing that can be told', async () => {
    const provider = make(backend, { url: 'http://127.0.0.1:60999' });
    const away = {
      code: 'unavailable',
      retryable: true,
      message: expect.stringContaining('nothing answers there'),
    };
    expect(await problem(provider.create())).toMatchObject(away);
    expect(await problem(provider.find('some-id'))).toMatchObject(away);
    await provider.close();
  });

  it('a server of another kind is no Daytona and no E2B', async () => {
    // Neither knows the routes of the other.
    const url = backend === 'daytona' ? e2b.e2b.url : e2b.daytona.url.replace('/api', '/nothing');
    const provider = make(backend, { url });
    const { code } = await problem(provider.find('some-id'));
    expect(['unavailable', 'unauthorized']).toContain(code);
    await provider.close();
  });

  it('HTTPS where HTTP is spoken', async () => {
    const provider = make(backend, { url: addressOf(backend).replace('http:', 'https:') });
    expect(await problem(provider.create())).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('use http://'),
    });
    await provider.close();
  });

  it('a name that cannot be looked up', async () => {
    const provider = make(backend, { url: 'http://no-such-host.invalid' });
    expect(await problem(provider.create())).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no-such-host.invalid'),
    });
    await provider.close();
  });

  it('a template that does not exist', async () => {
    const provider = make(backend);
    expect(await problem(provider.create({ template: 'no-such-template' }))).toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/not found/),
    });
    await provider.close();
  });

  it('an id of another provider', async () => {
    const provider = make(backend);
    expect(await problem(provider.get('elsewhere:1'))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('"elsewhere"'),
    });
    await provider.close();
  });
});

it('no key', async () => {
  expect(await problem(new E2BProvider({ apiKey: '' }).create())).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('E2B_API_KEY'),
  });
});

describe('CubeSandbox', () => {
  const provider = (more: CubeProviderOptions = {}): CubeProvider => {
    const { url, apiKey, templateId: template } = cube.e2b;
    return new CubeProvider({ apiUrl: url, proxyUrl: url, apiKey, template, ...more });
  };

  it('names all variables that it refuses, before it asks', async () => {
    const env = { PATH: '/bin', FINE: 'x', PEM: 'a\nb', LONG: 'ä'.repeat(2_049) };
    const { code, message } = await problem(provider().create({ env }));
    expect(code).toBe('invalid_argument');
    for (const name of ['PATH', 'PEM', 'LONG', '4098 bytes']) expect(message).toContain(name);
    expect(message).not.toContain('FINE');
  });

  it('needs a template', async () => {
    expect(await problem(provider({ template: '' }).create())).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('CUBE_TEMPLATE_ID'),
    });
  });

  it('does not pause what writes to a volume before 0.7.0, unless told so', async () => {
    const careful = provider();
    await careful.volumes.create('shared');
    const volumes = [{ volume: 'shared', path: '/data' }];
    expect(await problem(careful.create({ volumes }))).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('pauseWithVolumes'),
    });
    const sandbox = await careful.create({ volumes, onIdle: 'delete' });
    for (const verb of ['pause', 'stop'] as const) {
      expect(await problem(sandbox[verb]())).toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('can be lost'),
      });
    }
    await sandbox.delete();
    const reading = await careful.create({ volumes: [{ ...volumes[0], readOnly: true } as never] });
    await reading.pause();
    await reading.delete();
    const bold = provider({ pauseWithVolumes: true });
    const paused = await bold.create({ volumes });
    await paused.pause();
    await paused.delete();
    await careful.volumes.delete('shared');
    await Promise.all([careful.close(), bold.close()]);
  });

  it('reaches a private sandbox with the token that only its creation told', async () => {
    const one = provider();
    const sandbox = await one.create({ public: false });
    expect((await sandbox.exec('echo hi')).stdout).toBe('hi\n');
    const { headers } = await sandbox.portUrl(8080);
    expect(Object.keys(headers)).toEqual(['e2b-traffic-access-token']);
    // Another program has not heard of it.
    const other = provider();
    const found = await other.get(sandbox.id);
    expect(await problem(found.exec('true'))).toMatchObject({ code: 'forbidden' });
    await other.delete(sandbox.id);
    await Promise.all([one.close(), other.close()]);
  });

  it('writes files in parts that are too large for its proxy', async () => {
    const large = provider();
    const sandbox = await large.create();
    const bytes = randomBytes(130 * 2 ** 20);
    const sum = createHash('sha256').update(bytes).digest('hex');
    await sandbox.files.write([
      { path: 'a file', data: bytes },
      { path: 'small', data: 'x' },
    ]);
    const halves = [bytes.subarray(0, 1_000), bytes.subarray(1_000)];
    await sandbox.files.write(
      'streamed',
      ReadableStream.from(halves) as ReadableStream<Uint8Array>,
    );
    const { stdout } = await sandbox.exec("sha256sum 'a file' streamed; ls");
    expect(stdout.match(new RegExp(sum, 'g'))).toHaveLength(2);
    expect(stdout).not.toContain('part');
    await sandbox.delete();
    await large.close();
  });

  it('works with an SDK that creates by routes it does not have', async () => {
    const newer = provider({ sdk: sdk251 as never });
    const sandbox = await newer.create();
    expect((await sandbox.exec('echo hi')).stdout).toBe('hi\n');
    // What is called on the SDK's own object goes through the gateway, too.
    const native = sandbox.native as InstanceType<typeof sdk251.Sandbox>;
    await native.connect();
    expect((await native.commands.run('echo native')).stdout).toBe('native\n');
    await sandbox.delete();
    await newer.close();
  });
});
