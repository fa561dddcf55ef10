import { quote, type Sandbox, ShellFiles } from '@cubeshift/sandbox';
import { describe, expect, it } from 'vitest';
import { failing, useSandbox } from './support/host.ts';

const host = useSandbox();

it('quotes what a shell would read', async () => {
  const sandbox = host();
  for (const word of ['', `it's`, '$HOME', '`id`', '\\', '"', 'two\nlines', '-n', 'ü *']) {
    expect((await sandbox.exec(`printf %s ${quote(word)}`)).stdout).toBe(word);
  }
});

describe('ShellFiles', () => {
  it('writes more than an argument can hold, without an input', async () => {
    const sandbox = host();
    const files = new ShellFiles(sandbox, { stdin: false });
    const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => at % 251);
    await files.write('by arguments', bytes);
    expect(Buffer.from(bytes).equals(await files.read('by arguments'))).toBe(true);
  });

  it('ends its command when the content that it sends breaks', async () => {
    const sandbox = host();
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      pull: (controller) => controller.error(new Error('no more')),
    });
    await expect(sandbox.files.write('broken', broken)).rejects.toThrow('no more');
  });

  it('stops reading a stream that nobody wants', async () => {
    const sandbox = host();
    await sandbox.exec('head -c 5000000 /dev/urandom > large');
    const stream = await sandbox.files.read('large', { as: 'stream' });
    const reader = stream.getReader();
    expect((await reader.read()).value?.length).toBeGreaterThan(0);
    await reader.cancel();
    expect((await sandbox.files.stat('large')).size).toBe(5_000_000);
  });

  it('tells links, and lists the folder behind one', async () => {
    const sandbox = host();
    await sandbox.exec('mkdir -p links/real && touch links/real/file && ln -s real links/link');
    const types = (await sandbox.files.list('links')).map(({ name, type }) => [name, type]);
    expect(types).toEqual([
      ['link', 'symlink'],
      ['real', 'dir'],
    ]);
    expect((await sandbox.files.list('links/link')).map(({ name }) => name)).toEqual(['file']);
    await sandbox.files.remove('links/link', { recursive: true });
    expect(await sandbox.files.exists('links/real/file')).toBe(true);
  });

  it('sees a link that leads nowhere', async () => {
    const sandbox = host();
    await sandbox.exec('ln -s nowhere dangling');
    expect(await sandbox.files.exists('dangling')).toBe(true);
    expect((await failing(sandbox.files.read('dangling'))).code).toBe('not_found');
    expect((await failing(sandbox.files.move('links', 'dangling'))).code).toBe('conflict');
  });

  it('tells a path below a file', async () => {
    const sandbox = host();
    const { files } = sandbox;
    await files.write('plain', 'x');
    expect(await files.exists('plain/below')).toBe(false);
    expect((await failing(files.read('plain/below'))).code).toBe('not_found');
    expect((await failing(files.write('plain/below', 'x'))).code).toBe('conflict');
    expect((await failing(files.makeDir('plain/below'))).code).toBe('conflict');
    expect((await failing(files.list('plain'))).code).toBe('invalid_argument');
  });

  it('refuses what is no path', async () => {
    const sandbox = host();
    for (const path of ['', 'a\0b']) {
      expect((await failing(sandbox.files.read(path))).code).toBe('invalid_argument');
      expect((await failing(sandbox.files.write(path, 'x'))).code).toBe('invalid_argument');
      expect((await failing(sandbox.files.remove(path))).code).toBe('invalid_argument');
    }
    expect((await failing(sandbox.files.list('.', { depth: 0 }))).code).toBe('invalid_argument');
  });

  it('says what it cannot do, and what went wrong in the words of the system', async () => {
    const sandbox = host();
    const watch = await failing(sandbox.files.watch('.', () => undefined));
    expect(watch).toMatchObject({ code: 'unsupported', message: expect.stringContaining('List') });
    const { message } = await failing(sandbox.files.read('no such'));
    expect(message).toBe('Read no such: No such file or directory');
    // Programs that speak of rights: the tests may run as root, who has all of them.
    const denied = Object.assign(Object.create(sandbox) as Sandbox, {
      exec: async () => ({
        exitCode: 1,
        stdout: '',
        stderr: 'base64: /etc/shadow: Permission denied\n',
        output: '',
        streamsMerged: false,
      }),
    });
    const { code } = await failing(new ShellFiles(denied).read('/etc/shadow'));
    expect(code).toBe('forbidden');
  });
});
