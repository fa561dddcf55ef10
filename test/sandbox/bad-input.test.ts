import { createHash, randomBytes } from 'node:crypto';
import { createProvider } from '@cubeshift/sandbox';
import * as sdk251 from 'e2b-2.51';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CubeProvider, type CubeProviderOptions } from '../../shims/src/providers/cube/index.ts';
import { DaytonaProvider } from '../../shims/src/providers/daytona/index.ts';
import { E2BProvider } from '../../shims/src/providers/e2b/index.ts';
import { nowhere, openKnowing, openSaying } from './support/secure.ts';
import {
  addressOf,
  BACKENDS,
  type Backend,
  cube,
  e2b,
  make,
  optionsOf,
  problem,
  telling,
  through,
  used,
  useServers,
  WAYS,
  WRONG_KEY,
} from './support/wrong.ts';

useServers();

describe.each(WAYS)('%s', (_, backend, make) => {
  it('a key that is wrong is not taken for absence', async () => {
    const provider = make(backend, { apiKey: WRONG_KEY });
    const unknown = {
      code: 'unauthorized',
      retryable: false,
      message: telling(`${backend} at ${addressOf(backend)} does not accept the API key`, 'apiKey'),
    };
    expect(await problem(provider.create())).toMatchObject(unknown);
    expect(await problem(provider.find(`${backend}:some-id`))).toMatchObject(unknown);
    expect(await problem(provider.delete(`${backend}:some-id`))).toMatchObject(unknown);
    await provider.close();
  });

  it('a server that is not there is nothing that can be told', async () => {
    const apiUrl = await nowhere();
    const provider = make(backend, { apiUrl });
    const away = {
      code: 'unavailable',
      retryable: true,
      message: telling(backend, apiUrl, 'nothing answers there: is the server running?'),
    };
    expect(await problem(provider.create())).toMatchObject(away);
    expect(await problem(provider.find(`${backend}:some-id`))).toMatchObject(away);
    await provider.close();
  });

  it('a server of another kind is no Daytona and no E2B', async () => {
    // Neither knows the routes of the other.
    const apiUrl =
      backend === 'daytona' ? e2b.e2b.url : e2b.daytona.url.replace('/api', '/nothing');
    const provider = make(backend, { apiUrl });
    const { code } = await problem(provider.find(`${backend}:some-id`));
    expect(['unavailable', 'unauthorized']).toContain(code);
    await provider.close();
  });

  it('HTTPS where HTTP is spoken', async () => {
    const apiUrl = addressOf(backend).replace('http:', 'https:');
    const provider = make(backend, { apiUrl });
    expect(await problem(provider.create())).toMatchObject({
      code: 'configuration',
      message: telling(backend, apiUrl, 'does not speak TLS', 'use http://'),
    });
    await provider.close();
  });

  it.each([
    [
      'in words',
      'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
    ],
    ['in a page', page('400 The plain HTTP request was sent to HTTPS port')],
    ['with an alert of TLS', '\x15\x03\x01\x00\x02\x02\x46'],
  ])('HTTP where HTTPS is needed, as a server says %s', async (_how, answer) => {
    const apiUrl = through(await used(openSaying(answer)), backend, 'http');
    const provider = make(backend, { apiUrl });
    const wrong = {
      code: 'configuration',
      message: telling(backend, apiUrl, 'TLS', 'use https:// in its address'),
    };
    expect(await problem(provider.create())).toMatchObject(wrong);
    expect(await problem(provider.find(`${backend}:some-id`))).toMatchObject(wrong);
    await provider.close();
  });

  it('a name that cannot be looked up', async () => {
    const provider = make(backend, { apiUrl: 'http://no-such-host.invalid' });
    expect(await problem(provider.create())).toMatchObject({
      code: 'unavailable',
      message: telling('http://no-such-host.invalid', 'cannot be looked up: check the address'),
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
    for (const call of ['get', 'find', 'delete'] as const) {
      expect(await problem(provider[call]('elsewhere:1'))).toMatchObject({
        code: expect.stringMatching(/^(?:invalid_argument|configuration)$/),
        message: telling('"elsewhere"', `"${backend}"`),
      });
    }
    await provider.close();
  });
});

/** An answer of a server, as a page. */
function page(title: string): string {
  const body = `<html><head><title>${title}</title></head></html>`;
  const head = `Content-Type: text/html\r\nContent-Length: ${body.length}\r\nConnection: close`;
  return `HTTP/1.1 400 Bad Request\r\n${head}\r\n\r\n${body}`;
}

it.each(['e2b', 'cube'] as const)('%s: an address that leads on to HTTPS', async (backend) => {
  const head = 'HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nConnection: close';
  const leading = await used(openSaying(`${head}\r\nLocation: https://cube.example/x\r\n\r\n`));
  const provider = make(backend, { apiUrl: through(leading, backend, 'http') });
  expect(await problem(provider.find('some-id'))).toMatchObject({
    code: 'configuration',
    message: telling(`http://${leading.host}`, 'leads on to https://cube.example', 'use that'),
  });
  await provider.close();
});

it.each(BACKENDS)('%s: what is no address', async (backend) => {
  const provider = make(backend, { apiUrl: 'nonsense' });
  const wrong = { code: 'configuration', message: telling('nonsense', 'http://host:port') };
  expect(await problem(provider.create())).toMatchObject(wrong);
  expect(await problem(provider.find('some-id'))).toMatchObject(wrong);
  await provider.close();
});

it('cube: what is no address, when that of the proxy is taken from it', () => {
  const wrong = { code: 'configuration', message: telling('nonsense', 'http://host:port') };
  expect(() => new CubeProvider({ apiUrl: 'nonsense' })).toThrow(expect.objectContaining(wrong));
});

it.each(['e2b', 'cube'] as const)('%s: a password in an address is not shown', async (backend) => {
  const apiUrl = addressOf(backend).replace('http://', `http://user:${WRONG_KEY}@`);
  const provider = make(backend, { apiUrl });
  expect(await problem(provider.find('some-id'))).toMatchObject({
    code: 'configuration',
    message: telling(addressOf(backend), 'a name or a password in its address: take it out'),
  });
  await provider.close();
});

describe('no key', () => {
  beforeAll(() => {
    for (const name of ['DAYTONA_API_KEY', 'DAYTONA_JWT_TOKEN', 'E2B_API_KEY', 'CUBE_API_KEY']) {
      vi.stubEnv(name, undefined);
    }
  });
  afterAll(() => void vi.unstubAllEnvs());

  const without = (backend: Backend) => {
    const { apiKey: _, ...options } = optionsOf(backend);
    return options;
  };

  it.each([
    ['e2b', 'E2B_API_KEY'],
    ['daytona', 'DAYTONA_API_KEY'],
  ] as const)('%s says which variable to set', async (backend, variable) => {
    const options = without(backend);
    for (const provider of [
      backend === 'e2b' ? new E2BProvider(options) : new DaytonaProvider(options),
      createProvider({ provider: backend, ...options }),
    ]) {
      for (const call of [() => provider.create(), () => provider.find(`${backend}:some-id`)]) {
        expect(await problem(call())).toMatchObject({
          code: 'configuration',
          message: telling('There is no', 'key', `set ${variable}, or give apiKey`),
        });
      }
    }
  });

  it('cube: a server that wants one says so', async () => {
    const options = without('cube');
    for (const provider of [
      new CubeProvider(options),
      createProvider({ provider: 'cube', ...options }),
    ]) {
      expect(await problem(provider.create())).toMatchObject({
        code: 'unauthorized',
        message: telling(`cube at ${options.apiUrl} does not accept the API key`, 'apiKey'),
      });
    }
  });

  it('cube: a server that wants none needs none', async () => {
    const { url, apiKey } = cube.e2b;
    const open = await used(openKnowing(url, apiKey));
    const apiUrl = `http://${open.host}`;
    const provider = new CubeProvider({ ...without('cube'), apiUrl });
    const sandbox = await provider.create();
    expect((await sandbox.exec('echo hi')).stdout).toBe('hi\n');
    await sandbox.delete();
    await provider.close();
  });
});

it.each(['e2b', 'daytona'] as const)('%s: a file too large for CubeProxy', async (backend) => {
  const provider = make(backend);
  const sandbox = await provider.create();
  const bytes = randomBytes(130 * 2 ** 20);
  await sandbox.files.write('large', bytes);
  const { stdout } = await sandbox.exec('sha256sum < large');
  expect(stdout).toContain(createHash('sha256').update(bytes).digest('hex'));
  await sandbox.delete();
  await provider.close();
});

it.each(['e2b', 'daytona'] as const)('%s takes variables that Cube refuses', async (backend) => {
  const provider = make(backend);
  const sandbox = await provider.create({ env: { PEM: 'a\nb', LONG: 'ä'.repeat(2_049) } });
  const { stdout } = await sandbox.exec('echo "$PEM"; printf %s "$LONG" | wc -c');
  expect(stdout.split(/\s+/).slice(0, 3)).toEqual(['a', 'b', '4098']);
  await sandbox.delete();
  await provider.close();
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
