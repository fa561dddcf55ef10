import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Uploads } from '../../src/local/uploads.ts';
import { VolumeFolders } from '../../src/local/volumes.ts';

let dir: string;
let uploads: Uploads;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'uploads-'));
  uploads = new Uploads(new VolumeFolders(join(dir, 'volumes')));
});

afterEach(async () => {
  await uploads.close();
  rmSync(dir, { recursive: true });
});

const content = (...pieces: string[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)));
const kept = (key: string) => {
  const stream = uploads.read(key);
  return stream === undefined ? undefined : text(Readable.from(stream));
};
const onDisk = () =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('are on disk, one file each, whatever their key', async () => {
  expect(existsSync(join(dir, 'volumes'))).toBe(false);
  for (const key of ['a', '../../a', 'x'.repeat(1000)]) {
    await uploads.store(key, content('of ', key));
  }
  expect(await kept('../../a')).toBe('of ../../a');
  expect(await kept('none')).toBeUndefined();
  expect(onDisk()).toHaveLength(3);
  expect([...uploads.entries()].map(([, length]) => length)).toEqual([4, 10, 1003]);
  await uploads.store('a', content('anew'));
  expect(await kept('a')).toBe('anew');
  await uploads.remove('a');
  expect([uploads.has('a'), onDisk().length]).toEqual([false, 2]);
  await uploads.close();
  expect(onDisk()).toEqual([]);
});

test('that break off change nothing', async () => {
  await uploads.store('a', content('whole'));
  const broken = new Readable({ read: () => undefined });
  const storing = uploads.store('a', broken);
  broken.push('half');
  broken.destroy(new Error('the line is dead'));
  await expect(storing).rejects.toThrow('the line is dead');
  expect(await kept('a')).toBe('whole');
  expect(onDisk()).toHaveLength(1);
});

test('can be replaced while they are read', async () => {
  await uploads.store('a', content('before'));
  const reader = uploads.read('a')?.[Symbol.asyncIterator]();
  const first = await reader?.next();
  await uploads.store('a', content('after'));
  expect(`${first?.value}`).toBe('before');
  expect(await reader?.next()).toMatchObject({ done: true });
  expect(await kept('a')).toBe('after');
});
