import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { CONFIG_KEYS, ConfigError, DEFAULT_CONFIG, loadConfig } from '../../src/config/config.ts';
import { nearest } from '../../src/config/nearest.ts';
import { JsoncError, parseJsonc } from '../../src/jsonc.ts';
import { project, ROOT, write } from './cli.ts';

describe('loadConfig', () => {
  test('stops at the git root', () => {
    const root = project({ 'cubeshift.config.json': '{ "failOn": "none" }' });
    write(root, 'nested/.git/HEAD', '');
    write(root, 'nested/src/x.ts', '');
    const { config, source } = loadConfig(join(root, 'nested/src'));
    expect(config).toEqual(DEFAULT_CONFIG);
    expect(source).toBeNull();
  });

  test('prefers the file over package.json and passes over a package.json without settings', () => {
    const root = project({
      'cubeshift.config.json': '{ "targets": ["e2b"] }',
      'package.json': '{ "cubeshift": { "targets": ["local"] } }',
      'packages/a/package.json': '{ "name": "a" }',
    });
    expect(loadConfig(join(root, 'packages/a')).config.targets).toEqual(['e2b']);
  });

  test('a broken package.json is not our business, a wrong key in it is', () => {
    expect(loadConfig(project({ 'package.json': '{ nonsense' })).source).toBeNull();
    const root = project({ 'package.json': '{ "cubeshift": { "failon": "none" } }' });
    expect(() => loadConfig(root)).toThrow(ConfigError);
    expect(() => loadConfig(root)).toThrow('package.json: cubeshift.failon: unknown key.');
  });

  test('paths in the file are relative to the file', () => {
    const root = project({ 'cubeshift.config.json': '{ "baseline": "ci/base.json" }' });
    write(root, 'src/x.ts', '');
    expect(loadConfig(join(root, 'src')).config.baseline).toBe(join(root, 'ci/base.json'));
  });

  test('the schema knows the same keys and defaults', () => {
    const schema = JSON.parse(readFileSync(join(ROOT, 'schema/config.schema.json'), 'utf8')) as {
      properties: Record<string, { default?: unknown }>;
    };
    const { $schema: _, ...properties } = schema.properties;
    expect(Object.keys(properties).sort()).toEqual([...CONFIG_KEYS].sort());
    for (const [key, { default: value }] of Object.entries(properties)) {
      if (value !== undefined) expect([key, value]).toEqual([key, DEFAULT_CONFIG[key as 'failOn']]);
    }
    const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
    expect(validate({ targets: ['cube@0.6.0', 'e2b'], rules: { DT907: 'off' } })).toBe(true);
    expect(validate({ tragets: [] })).toBe(false);
    expect(validate({ rules: { DT907: 'warn' } })).toBe(false);
  });
});

describe('parseJsonc', () => {
  test.each([
    ['{"a": [1, -2.5e3, true, null, "x\\n\\u00e9"]}'],
    ['[]'],
    [' "only" '],
    ['{"a": {"b": {}}}'],
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseJsonc(text)).toEqual(JSON.parse(text));
  });

  test('allows comments, trailing commas and a byte order mark', () => {
    const text = '\ufeff// a\n{ /* b */ "x": 1, // c\n "y": ["//", "/*",], }\n/* end */';
    expect(parseJsonc(text)).toEqual({ x: 1, y: ['//', '/*'] });
  });

  test.each([
    ['{"a" 1}', 1, 6],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": 1', 1, 8],
    ['/* open', 1, 1],
    ["{'a': 1}", 1, 2],
    ['{"a": "\\q"}', 1, 7],
    ['1 2', 1, 3],
    ['', 1, 1],
    ['[,]', 1, 2],
  ])('%j fails at %i:%i', (text, line, column) => {
    let error: unknown;
    try {
      parseJsonc(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(JsoncError);
    expect(error).toMatchObject({ line, column });
  });
});

test('nearest finds slips of the keyboard and nothing wild', () => {
  const names = ['targets', 'ignore', 'minConfidence', 'Process.executeCommand'];
  expect(nearest('tragets', names)).toEqual(['targets']);
  expect(nearest('INGORE', names)).toEqual(['ignore']);
  expect(nearest('executeComand', names)).toEqual(['Process.executeCommand']);
  expect(nearest('banana', names)).toEqual([]);
  expect(nearest('', names)).toEqual([]);
});
