import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cubeshift } from './cli.ts';

const ROOT = new URL('../../', import.meta.url);

test('the output in the README is what the demo prints', async () => {
  const readme = readFileSync(new URL('README.md', ROOT), 'utf8');
  const example = /`npm run demo` prints[^\n]*\n\n```\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const args = ['scan', 'examples/agent', '--fail-on', 'none'];
  const { stdout } = await cubeshift(fileURLToPath(ROOT), args);
  const printed = new Set(stdout.split('\n'));
  expect(example.length).toBeGreaterThan(500);
  expect(example.split('\n').filter((line) => !printed.has(line))).toEqual([]);
});
