import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { looksGenerated } from '../../src/discover/generated.ts';
import { readSource } from '../../src/discover/read.ts';
import { tempDir } from './temp.ts';

function read(content: string | Buffer, name = 'a.ts', maxBytes?: number, wantText = false) {
  const dir = tempDir({ [name]: content });
  return readSource(join(dir, name), maxBytes, { wantText });
}

describe('readSource', () => {
  it.each(['use Daytona', 'daytona', 'X_DAYTONA_Y'])('finds the needle in %s', (text) => {
    expect(read(text)).toEqual({
      kind: 'text',
      text,
      encoding: 'utf8',
      lossy: false,
      needle: true,
    });
  });

  it('says none without it, unless the text is wanted', () => {
    expect(read('hello')).toEqual({ kind: 'none' });
    expect(read('')).toEqual({ kind: 'none' });
    expect(read('hello', 'a.ts', undefined, true)).toMatchObject({ text: 'hello', needle: false });
  });

  it('removes the byte order mark and keeps line ends', () => {
    expect(read('\ufeffdaytona\r\n')).toMatchObject({ text: 'daytona\r\n', encoding: 'utf8-bom' });
  });

  it('decodes UTF-16 of both byte orders', () => {
    const little = Buffer.from('\ufeffDaytona ü', 'utf16le');
    const big = Buffer.from(little).swap16();
    expect(read(little)).toMatchObject({ text: 'Daytona ü', encoding: 'utf16le', lossy: false });
    expect(read(big)).toMatchObject({ text: 'Daytona ü', encoding: 'utf16be', lossy: false });
    expect(read(Buffer.from('\ufeffother', 'utf16le'))).toEqual({ kind: 'none' });
    expect(read(Buffer.concat([little, Buffer.from('x')]))).toMatchObject({ text: 'Daytona ü' });
  });

  it('reads what is not UTF-8 as Latin-1 and says so', () => {
    const bytes = Buffer.from('daytona: stra\xdfe', 'latin1');
    expect(read(bytes)).toMatchObject({ text: 'daytona: straße', encoding: 'latin1', lossy: true });
  });

  it('skips binaries only when they name Daytona', () => {
    expect(read(Buffer.from('\0\x01daytona'), 'a.bin')).toEqual({
      kind: 'skip',
      reason: 'binary',
      incomplete: false,
    });
    expect(read(Buffer.from('\0\x01'), 'a.bin', undefined, true)).toEqual({ kind: 'none' });
    expect(read(Buffer.from('\0\xff daytona', 'latin1'), 'a.ts')).toMatchObject({ kind: 'skip' });
    expect(read(`daytona${' '.repeat(9000)}\0`)).toMatchObject({ kind: 'text' });
  });

  it('reads source code with a NUL in it: a separator in a string is legal', () => {
    const text = `export const key = 'a\0b'; // daytona`;
    expect(read(text, 'a.ts')).toMatchObject({ kind: 'text', text, needle: true });
  });

  it('searches files above the limit without loading them', () => {
    const filler = 'x'.repeat(70_000);
    expect(read(filler, 'a.ts', 1000)).toEqual({ kind: 'none' });
    expect(read(`${filler}daytona`, 'a.ts', 1000)).toMatchObject({
      kind: 'skip',
      reason: 'too-large',
      incomplete: true,
    });
    expect(read(`${filler}daytona`, 'a.log', 1000)).toMatchObject({ incomplete: false });
    expect(read(`daytona${filler}`, 'a.json', 1000)).toMatchObject({ reason: 'too-large' });
  });

  it('finds a needle that lies across two chunks', () => {
    const size = 300_000;
    for (let offset = size - 8; offset <= size + 1; offset++) {
      const text = `${'x'.repeat(offset)}daytona${'y'.repeat(size)}`;
      expect(read(text, 'a.ts', size)).toMatchObject({ reason: 'too-large' });
    }
  });

  it('loads files larger than its buffer up to the limit', () => {
    const text = `${'x'.repeat(900_000)}daytona`;
    expect(read(text)).toMatchObject({ kind: 'text', text });
    expect(read('short daytona')).toMatchObject({ text: 'short daytona' });
  });

  it('tells vanished files, links and folders apart', () => {
    const dir = tempDir({ 'a.ts': 'daytona', 'sub/b.ts': '' });
    symlinkSync('a.ts', join(dir, 'link.ts'));
    const at = (name: string) => readSource(join(dir, name));
    expect(at('gone.ts')).toMatchObject({ reason: 'vanished', incomplete: false });
    expect(at('a.ts/below.ts')).toMatchObject({ reason: 'vanished' });
    expect(at('link.ts')).toMatchObject({ reason: 'symlink', incomplete: false });
    expect(at('sub')).toMatchObject({ reason: 'unreadable', incomplete: true, detail: 'EISDIR' });
  });

  it('does not wait for a named pipe', () => {
    const dir = tempDir();
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    expect(readSource(join(dir, 'pipe'))).toEqual({ kind: 'none' });
  });

  it('reports a file it may not read', () => {
    const dir = tempDir({ 'a.ts': 'daytona' });
    chmodSync(join(dir, 'a.ts'), 0o000);
    chmodSync(dir, 0o755);
    const result = asNobody(join(dir, 'a.ts'));
    expect(result).toEqual({
      kind: 'skip',
      reason: 'unreadable',
      incomplete: true,
      detail: 'EACCES',
    });
  });
});

/** Root may read everything, so the check runs in a process without that right. */
function asNobody(path: string): unknown {
  if (process.getuid?.() !== 0) return readSource(path);
  const module = JSON.stringify(new URL('../../src/discover/read.ts', import.meta.url).pathname);
  const script = `const { readSource } = await import(${module});
process.setgid(65534); process.setuid(65534);
console.log(JSON.stringify(readSource(${JSON.stringify(path)})));`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

describe('looksGenerated', () => {
  const line = `const a = ${'"x",'.repeat(50)}\n`;

  it.each([
    ['vendor/lib.min.js', 'x'],
    ['a.js.map', '{}'],
    ['a.ts', '// @generated by tool\nx'],
    ['a.ts', '/* eslint-disable */\n/**\n * Do not edit this file.\n */\nx'],
    ['a.py', '# This file was generated by protoc. DO NOT EDIT.\nx'],
    ['bundle.js', `var a;${'b();'.repeat(2000)}`],
    ['dense.js', `${'x'.repeat(400)}\n`.repeat(80)],
  ])('%s', (path, text) => {
    expect(looksGenerated(path, text)).toBe(true);
  });

  it.each([
    ['a.ts', line.repeat(10)],
    ['writer.ts', "const header = '// @generated';\n"],
    ['late.ts', `${'const a = 1;\n'.repeat(40)}// DO NOT EDIT\n`],
    ['data.json', 'x'.repeat(10_000)],
    ['yarn.lock', '# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.\n'],
    ['README.md', '<!-- DO NOT EDIT -->\n'],
    ['empty.ts', ''],
  ])('not %s', (path, text) => {
    expect(looksGenerated(path, text)).toBe(false);
  });
});
