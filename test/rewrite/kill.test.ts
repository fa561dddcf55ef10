import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { applyPlan, formatPlan, recover, undo } from '../../src/rewrite/index.ts';
import { addFiles } from '../discover/temp.ts';
import { Child, useBundle } from './child.ts';
import { create, fastDir, planOf, prepend, remove, snapshot } from './support.ts';

/** Enough to come by every phase. More of them: CUBESHIFT_TEST_KILLS. */
const KILLS = Number(process.env.CUBESHIFT_TEST_KILLS ?? 25);
const FILES = 300;
const SEED = 20_261_201;

const bundle = useBundle();

/** Applies the plan once it is told to; given a number, ends itself at so many changes to the disk. */
const PROGRAM = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const [root, planFile, last] = args;
let changes = 0;
for (const name of ['writeFileSync', 'fsyncSync', 'renameSync']) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (++changes === Number(last)) process.kill(process.pid, 'SIGKILL');
    return real(...args);
  };
}
syncBuiltinESMExports();
const plan = rewrite.parsePlan(fs.readFileSync(planFile, 'utf8'), 'plan');
console.log('ready');
await new Promise((resolve) => process.stdin.once('data', resolve));
rewrite.applyPlan(root, plan);
console.log('applied ' + changes);
`;

it(`${KILLS} processes killed while they change ${FILES} files leave all of them changed, or none`, async () => {
  const root = fastDir();
  const planFile = join(fastDir(), 'plan.json');
  const contents = Object.fromEntries(
    Array.from({ length: FILES }, (_, i) => [`src/${i % 7}/${i}.ts`, `// ${i}\n`.repeat(i % 40)]),
  );
  addFiles(root, contents);
  const before = snapshot(root);
  const edits = Object.keys(contents).map((file, index) =>
    index % 10 === 9 ? remove(root, file) : prepend(root, file, '// changed\n'),
  );
  const plan = planOf(...edits, ...[1, 2, 3].map((i) => create(`new/${i}/x.ts`, 'new\n')));
  writeFileSync(planFile, formatPlan(plan));
  const start = async (...last: string[]): Promise<Child> => {
    const child = new Child(bundle(), PROGRAM, [root, planFile, ...last]);
    await child.wrote(/^ready$/);
    child.process.stdin?.end('go');
    return child;
  };

  const began = performance.now();
  const whole = await start();
  const [, changes] = (await whole.wrote(/^applied (\d+)$/)) ?? [];
  const wholeMs = performance.now() - began;
  expect(await whole.ended).toMatchObject({ code: 0 });
  const after = snapshot(root);
  undo(root);
  expect(snapshot(root)).toEqual(before);

  const random = randomFrom(SEED);
  const outcomes = new Set<string | undefined>();
  for (let i = 0; i < KILLS; i++) {
    // One in each of as many equal parts, and somewhere in it: of the time, or of what is done.
    const part = (i + random()) / KILLS;
    const byTime = i % 2 === 0;
    const child = await start(...(byTime ? [] : [`${Math.ceil(part * Number(changes))}`]));
    const timer = setTimeout(() => child.process.kill('SIGKILL'), byTime ? part * wholeMs : 60_000);
    const { output } = await child.ended;
    clearTimeout(timer);
    expect(output).toMatch(/^ready\n(?:applied \d+\n)?$/);
    outcomes.add(recover(root)?.outcome);
    const now = snapshot(root);
    if (now['new/1/x.ts'] === undefined) expect(now).toEqual(before);
    else {
      expect(now).toEqual(after);
      undo(root);
      expect(snapshot(root)).toEqual(before);
    }
  }
  expect(outcomes).toEqual(new Set([undefined, 'rolled-back', 'completed']));
  // After all of that the plan still applies.
  applyPlan(root, plan);
  expect(snapshot(root)).toEqual(after);
}, 600_000);

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
