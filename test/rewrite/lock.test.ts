import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyPlan, formatPlan, recover, undo } from '../../src/rewrite/index.ts';
import { Child, useBundle } from './child.ts';
import { create, fastDir, planOf, snapshot, thrownBy } from './support.ts';

const bundle = useBundle();

/** Applies the plan in the second argument; stops in the middle until it gets a line. */
const STOPPING = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { fsyncSync } = fs;
fs.fsyncSync = (fd) => {
  fs.fsyncSync = fsyncSync;
  syncBuiltinESMExports();
  fs.writeSync(1, 'inside\\n');
  fs.readSync(0, Buffer.alloc(1));
  fsyncSync(fd);
};
syncBuiltinESMExports();
rewrite.applyPlan(args[0], rewrite.parsePlan(args[1], 'plan'));
console.log('applied');
`;

const planText = (file: string) => formatPlan(planOf(create(file, `${file}\n`)));

async function stopped(root: string): Promise<Child> {
  const child = new Child(bundle(), STOPPING, [root, planText('theirs.ts')]);
  await child.wrote(/^inside$/);
  return child;
}

describe('while a process applies a plan', () => {
  it('others are told which process it is, and change nothing', async () => {
    const root = fastDir();
    const child = await stopped(root);
    const told = {
      code: 'locked',
      message: `Another cubeshift is changing files here (process ${child.process.pid}). Wait until it is done. If there is no such process, delete .cubeshift/lock.`,
    };
    const plan = planOf(create('ours.ts', ''));
    expect(thrownBy(() => applyPlan(root, plan))).toMatchObject(told);
    expect(thrownBy(() => recover(root))).toMatchObject(told);
    expect(thrownBy(() => undo(root))).toMatchObject(told);
    child.process.stdin?.end('\n');
    expect(await child.ended).toMatchObject({ code: 0, output: 'inside\napplied\n' });
    applyPlan(root, plan);
    expect(Object.keys(snapshot(root))).toEqual(['ours.ts', 'theirs.ts']);
  });

  it('its end frees the lock, whatever the end', async () => {
    const root = fastDir();
    const child = await stopped(root);
    child.process.kill('SIGKILL');
    await child.ended;
    applyPlan(root, planOf(create('ours.ts', '')));
    expect(Object.keys(snapshot(root))).toEqual(['ours.ts']);
    expect(readdirSync(join(root, '.cubeshift/lock'))).toHaveLength(1);
  });
});

/** Applies three plans of one file each, trying again as long as another process is at it. */
const PERSISTENT = `
console.log('ready');
fs.readSync(0, Buffer.alloc(1));
for (const file of args.slice(1)) {
  const change = { kind: 'create', file, text: file, rule: 'DT101' };
  const plan = { schemaVersion: 1, tool: { name: 'cubeshift', version: '0' }, changes: [change] };
  for (let done = false; !done; ) {
    try {
      rewrite.applyPlan(args[0], plan);
      done = true;
    } catch (error) {
      if (error.code !== 'locked') throw error;
    }
  }
}
console.log('done');
`;

it('processes that all want the lock of a dead one get it one after the other', async () => {
  const root = fastDir();
  const dead = await stopped(root);
  dead.process.kill('SIGKILL');
  await dead.ended;
  const names = [1, 2, 3].map((child) => [1, 2, 3].map((file) => `${child}-${file}.ts`));
  const children = names.map(
    (files) => new Child(bundle(), `import fs from 'node:fs';${PERSISTENT}`, [root, ...files]),
  );
  await Promise.all(children.map((child) => child.wrote(/^ready$/)));
  for (const child of children) child.process.stdin?.end('\n');
  for (const child of children) {
    expect(await child.ended).toMatchObject({ code: 0, output: 'ready\ndone\n' });
  }
  // Two at once would have taken the same number.
  const numbers = readdirSync(join(root, '.cubeshift/journal')).map((id) => id.slice(0, 6));
  expect(numbers.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `00000${n}`));
  expect(Object.keys(snapshot(root))).toEqual(names.flat());
  for (let i = 0; i < 9; i++) undo(root);
  expect(snapshot(root)).toEqual({});
});

describe('a lock', () => {
  /** Applies something while there is this lock. */
  function tryWith(owner: string): unknown {
    const root = fastDir();
    const held = join(root, '.cubeshift/lock/7');
    mkdirSync(held, { recursive: true });
    writeFileSync(join(held, 'owner.json'), owner);
    applyPlan(root, planOf(create('a.ts', '')));
    expect(existsSync(join(root, 'a.ts'))).toBe(true);
    expect(existsSync(held)).toBe(false);
    rmSync(root, { recursive: true });
    return undefined;
  }

  it('of another machine stays until a person removes it', () => {
    const owner = JSON.stringify({ host: 'elsewhere', pid: 1, start: null });
    expect(thrownBy(() => tryWith(owner))).toMatchObject({
      code: 'locked',
      message: expect.stringContaining('(process 1 on elsewhere)'),
    });
  });

  it('that a power cut has spoilt is free', () => {
    for (const owner of ['', '\0\0\0', '{"host":1}', '7']) tryWith(owner);
  });

  it('is free when its process is gone and another has the number', (context) => {
    const owner = { host: hostname(), pid: process.pid, start: 'long ago' };
    if (process.platform !== 'linux') context.skip('only Linux tells when a process began');
    tryWith(JSON.stringify(owner));
  });
});
