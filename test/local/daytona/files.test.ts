import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type DaytonaError,
  DaytonaFileNotFoundError,
  DaytonaInvalidFilePathError,
  type Sandbox,
} from '@daytonaio/sdk';
import { beforeAll, expect, test } from 'vitest';
import { failureOf, KEY, PATIENCE, type Server, withServer } from './support.ts';

withServer('files of a sandbox', (server) => {
  let sandbox: Sandbox;
  const sh = async (command: string): Promise<string> =>
    (await sandbox.process.executeCommand(command)).result;

  beforeAll(async () => {
    sandbox = await server().client().create({ autoStopInterval: 0 });
  }, PATIENCE);

  test('go up and come down as they are, whatever is in them or in their names', async () => {
    const bytes = randomBytes(100_000);
    for (const name of [
      'plain.bin',
      'with space "and" quote',
      'Ünïcode ✓ 名前',
      'a%20b;c=d',
      '..hidden',
    ]) {
      await sandbox.fs.uploadFile(bytes, `odd/${name}`);
      expect((await sandbox.fs.downloadFile(`odd/${name}`)).equals(bytes)).toBe(true);
    }
    await sandbox.fs.uploadFile(Buffer.alloc(0), 'odd/empty');
    expect(await sh('stat -c "%s %U %a" odd/empty')).toBe('0 daytona 644\n');
  });

  test('many come in one answer, each with its own error', async () => {
    await sandbox.fs.uploadFiles([
      { source: Buffer.from('one'), destination: 'many/1' },
      { source: Buffer.from('two'), destination: '/workspace/many/2' },
    ]);
    const results = await sandbox.fs.downloadFiles([
      { source: 'many/1' },
      { source: '/workspace/many/2' },
      { source: 'many/none' },
      { source: 'many' },
    ]);
    expect(results.map(({ result }) => result?.toString())).toEqual([
      'one',
      'two',
      undefined,
      undefined,
    ]);
    expect(results[2]?.errorDetails).toMatchObject({ statusCode: 404, code: 'FILE_NOT_FOUND' });
    expect(results[3]?.errorDetails).toMatchObject({ statusCode: 400, code: 'INVALID_FILE_PATH' });
    const missing = await failureOf(sandbox.fs.downloadFile('none'));
    expect(missing).toBeInstanceOf(DaytonaFileNotFoundError);
    const folder = await failureOf(sandbox.fs.downloadFile('many'));
    expect(folder).toBeInstanceOf(DaytonaInvalidFilePathError);
  });

  test('large ones are streamed both ways', async () => {
    const block = randomBytes(1024 * 1024);
    const blocks = 40;
    const sent = createHash('sha256');
    async function* source(): AsyncGenerator<Buffer> {
      for (let count = 0; count < blocks; count++) {
        sent.update(block);
        yield block;
      }
    }
    await sandbox.fs.uploadFileStream(Readable.from(source()), 'large.bin');
    const received = createHash('sha256');
    await pipeline(await sandbox.fs.downloadFileStream('large.bin'), received);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  });

  test('a client that goes away in the middle leaves the server as it was', async () => {
    await vanish(server(), sandbox.id);
    expect(await sh('echo still here')).toBe('still here\n');
  });

  test('are listed as deep as wanted, described, moved and deleted', async () => {
    await sandbox.fs.createFolder('tree/a/b', '750');
    await sandbox.fs.uploadFile(Buffer.from('#!'), 'tree/a/run.sh');
    await sh('ln -s a/run.sh tree/link; ln -s nowhere tree/broken');
    const names = async (depth: number): Promise<unknown[]> =>
      (await sandbox.fs.listFiles('tree', { depth })).map(({ path }) => path).sort();
    expect(await names(1)).toEqual(['tree/a', 'tree/link']);
    expect(await names(2)).toEqual(['tree/a', 'tree/a/b', 'tree/a/run.sh', 'tree/link']);
    expect(await sandbox.fs.getFileDetails('tree/a/b')).toMatchObject({
      name: 'b',
      isDir: true,
      mode: 'drwxr-x---',
      permissions: '0750',
      owner: '1001',
    });
    await sandbox.fs.setFilePermissions('tree/a/run.sh', { mode: '755', owner: 'root' });
    expect(await sh('stat -c "%a %U" tree/a/run.sh')).toBe('755 root\n');
    const noOne = sandbox.fs.setFilePermissions('tree/a/run.sh', { owner: 'nobody-here' });
    expect((await failureOf(noOne)).message).toBe('user not found');

    await sandbox.fs.moveFiles('tree/a/run.sh', 'tree/moved');
    const again = await failureOf<DaytonaError>(sandbox.fs.moveFiles('tree/moved', 'tree/a'));
    expect(again.statusCode).toBe(409);
    const astray = await failureOf<DaytonaError>(sandbox.fs.moveFiles('tree/moved', 'no/where'));
    expect(astray.statusCode).toBe(404);
    const full = await failureOf<DaytonaError>(sandbox.fs.deleteFile('tree'));
    expect(full).toMatchObject({
      statusCode: 400,
      message: 'cannot delete directory without recursive flag',
    });
    await sandbox.fs.deleteFile('tree', true);
    const gone = await failureOf<DaytonaError>(sandbox.fs.getFileDetails('tree'));
    expect(gone).toMatchObject({ statusCode: 404 });
    expect(gone.message).toBe('stat tree: no such file or directory');
  });

  test('are searched by content and by name, and changed in place', async () => {
    await sandbox.fs.uploadFiles([
      { source: Buffer.from('first\nthe (needle).*\n'), destination: 'search/a.txt' },
      { source: Buffer.from('none'), destination: 'search/deep/b.txt' },
      { source: Buffer.from('the (needle).* \0'), destination: 'search/binary' },
      { source: Buffer.from('x (needle).* y'), destination: 'search/deep/-c.md' },
    ]);
    expect(await sandbox.fs.findFiles('search', '(needle).*')).toEqual([
      { file: 'search/a.txt', line: 2, content: 'the (needle).*' },
      { file: 'search/deep/-c.md', line: 1, content: 'x (needle).* y' },
    ]);
    expect(await sandbox.fs.findFiles('search/a.txt', 'first')).toHaveLength(1);
    expect(await sandbox.fs.findFiles('nowhere', 'first')).toEqual([]);
    const { files } = await sandbox.fs.searchFiles('search', '*.[tm]*');
    expect(files.sort()).toEqual(['search/a.txt', 'search/deep/-c.md', 'search/deep/b.txt']);
    const replaced = await sandbox.fs.replaceInFiles(['search/a.txt', 'none'], '(needle).*', '$&');
    expect(replaced).toEqual([
      { file: 'search/a.txt', success: true },
      { file: 'none', success: false, error: 'open none: no such file or directory' },
    ]);
    expect(await sh('cat search/a.txt')).toBe('first\nthe $&\n');
  });

  test('thousands of them are no more trouble than one', async () => {
    await sh('mkdir crowd; cd crowd; seq -f "file-%g" 3000 | xargs touch');
    expect(await sandbox.fs.listFiles('crowd')).toHaveLength(3000);
    expect((await sandbox.fs.searchFiles('crowd', 'file-29*')).files).toHaveLength(111);
  });

  test('outside the sandbox cannot be reached, and errors do not name this machine', async () => {
    await sh('ln -s / root; ln -s ../../../../../../etc/passwd up');
    const inside = (await sandbox.fs.downloadFile('../../../../../../etc/hostname')).toString();
    expect(inside).toBe('sandbox\n');
    expect((await sandbox.fs.downloadFile('root/etc/hostname')).toString()).toBe('sandbox\n');
    expect((await sandbox.fs.downloadFile('up')).toString()).toContain('daytona');
    for (const path of ['root/proc/none', '/etc/passwd/x', `${'a'.repeat(300)}`, 'nul\0byte']) {
      const { message } = await failureOf(sandbox.fs.getFileDetails(path));
      expect(message).not.toMatch(/proc\/(?:self|\d+)|daytona-test/);
    }
  });

  test('signed addresses need no key, and nothing else is let in by them', async () => {
    await sandbox.fs.uploadFile(Buffer.from('signed'), 'signed file');
    const url = await sandbox.downloadUrl('signed file');
    // As a page elsewhere would.
    const page = { headers: { origin: 'http://example.test' } };
    expect(await (await fetch(url, page)).text()).toBe('signed');
    expect((await fetch(url.replace('signed+file', 'other'), page)).status).toBe(401);
    expect((await fetch(url.replace(/expires=\d+/, 'expires=1'), page)).status).toBe(401);
    const form = new FormData();
    form.append('file', new Blob(['from a form']), 'name');
    const up = await sandbox.uploadUrl('from/form');
    expect((await fetch(up, { method: 'POST', body: form, ...page })).status).toBe(200);
    expect((await sandbox.fs.downloadFile('from/form')).toString()).toBe('from a form');
    await sandbox.rotateSigningKey();
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(`${server().origin}/toolbox/${sandbox.id}/files?path=.`)).status).toBe(401);
  });

  test('nothing went wrong on the way', () => {
    expect(server().failures).toEqual([]);
  });
});

/** Begins to upload a file and breaks off; resolves when the server has noticed. */
async function vanish({ listening, origin }: Server, id: string): Promise<void> {
  const upload = request(`${origin}/toolbox/${id}/files/bulk-upload`, {
    method: 'POST',
    host: '127.0.0.1',
    port: listening.port,
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'multipart/form-data; boundary=b',
    },
  });
  upload.on('error', () => undefined);
  const part = (name: string, extra: string, body: string): string =>
    `--b\r\nContent-Disposition: form-data; name="files[0].${name}"${extra}\r\n\r\n${body}`;
  upload.write(`${part('path', '', 'half')}\r\n${part('file', '; filename="half"', 'x')}`);
  await new Promise((resolve) => upload.write(Buffer.alloc(100_000), resolve));
  await new Promise((resolve) => upload.once('close', resolve).destroy());
}
