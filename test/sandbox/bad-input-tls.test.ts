import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxProvider } from '@cubeshift/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../cli/cli.ts';
import {
  type Certificate,
  type Front,
  HAS_OPENSSL,
  makeCertificate,
  nowhere,
  openRenaming,
  openTls,
} from './support/secure.ts';
import {
  addressOf,
  BACKENDS,
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
} from './support/wrong.ts';

useServers();

describe.skipIf(!HAS_OPENSSL)(`TLS${HAS_OPENSSL ? '' : ' (openssl is not installed)'}`, () => {
  let folder: string;
  let certificate: Certificate;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bad-input-'));
    certificate = makeCertificate(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const secure = (target: string): Promise<Front> => used(openTls(certificate, target));
  const AUTHORITY = 'is of an authority that Node does not know: name it in NODE_EXTRA_CA_CERTS';

  it('the way to a private sandbox of a CubeSandbox', async () => {
    const proxyUrl = `https://${(await secure(cube.e2b.url)).host}`;
    const provider = make('cube', { dataUrl: proxyUrl });
    const sandbox = await provider.create({ public: false });
    expect(await problem(sandbox.files.write('file', 'text'))).toMatchObject({
      code: 'configuration',
      message: telling(proxyUrl, AUTHORITY),
    });
    await sandbox.delete();
    await provider.close();
  });

  describe.each(WAYS)('%s', (_, backend, make) => {
    it('a certificate of an authority that Node does not know', async () => {
      const apiUrl = through(await secure(addressOf(backend)), backend);
      const provider = make(backend, { apiUrl });
      const unknown = {
        code: 'configuration',
        retryable: false,
        message: telling(backend, apiUrl, AUTHORITY),
      };
      expect(await problem(provider.create())).toMatchObject(unknown);
      expect(await problem(provider.find(`${backend}:some-id`))).toMatchObject(unknown);
      await provider.close();
    });

    it('HTTP to a server that breaks off what is not TLS', async () => {
      const apiUrl = through(await secure(addressOf(backend)), backend, 'http');
      const provider = make(backend, { apiUrl });
      const lost = {
        code: 'unavailable',
        message: telling(backend, apiUrl, 'If it never answers, use https:// in its address'),
      };
      expect(await problem(provider.create())).toMatchObject(lost);
      expect(await problem(provider.find(`${backend}:some-id`))).toMatchObject(lost);
      await provider.close();
    });
  });

  describe.each(BACKENDS)('%s', (backend) => {
    /** A provider whose calls to sandboxes go elsewhere than those to its control plane. */
    const withData = async (dataUrl: string): Promise<SandboxProvider> => {
      if (backend !== 'daytona') return make(backend, { dataUrl });
      const { daytona } = e2b;
      const renaming = await used(openRenaming(daytona.url, dataUrl));
      return make(backend, { apiUrl: through(renaming, backend, 'http') });
    };

    it.each([
      ['a certificate of an authority that Node does not know', 'NODE_EXTRA_CA_CERTS', 'https'],
      ['HTTP where HTTPS is needed', 'https://', 'http'],
      ['HTTPS where HTTP is spoken', 'http://', 'https', 'plain'],
      ['a port at which nothing listens', '', 'http', 'nothing'],
    ])('calls to a sandbox: %s', async (_what, words, scheme, server = 'secure') => {
      const to = addressOf(backend);
      const host =
        server === 'nothing'
          ? new URL(await nowhere()).host
          : server === 'plain'
            ? new URL(to).host
            : (await secure(to)).host;
      const provider = await withData(`${scheme}://${host}`);
      const sandbox = await provider.create();
      for (const call of [
        () => sandbox.exec('echo hi'),
        () => sandbox.spawn('echo hi'),
        () => sandbox.files.write('file', 'text'),
        () => sandbox.files.read('file'),
        () => sandbox.files.list('/tmp'),
      ]) {
        expect(await problem(call())).toMatchObject({
          code: expect.stringMatching(/^(?:configuration|unavailable)$/),
          message: telling(backend, words),
        });
      }
      await sandbox.delete();
      await provider.close();
    });

    it('works with a certificate whose authority NODE_EXTRA_CA_CERTS names', async () => {
      const data = await secure(addressOf(backend));
      const dataUrl = `https://${data.host}`;
      const target =
        backend === 'daytona'
          ? through(await used(openRenaming(addressOf(backend), dataUrl)), backend, 'http')
          : addressOf(backend);
      const apiUrl = through(await secure(target), backend);
      const options = { provider: backend, ...optionsOf(backend, { apiUrl, dataUrl }) };
      const program = join(ROOT, 'test/sandbox/support/trusting-program.ts');
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate.file };
      const args = ['--import', 'tsx', program, JSON.stringify(options)];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
      expect(stdout).toBe('written, written and run\n');
    });
  });
});
