import { sum } from './sum.mjs';

const cases = [
  [1, 0, 1],
  [2, 3, 5],
  [-4, 4, 0],
];
let failed = 0;
for (const [a, b, wanted] of cases) {
  const isRight = sum(a, b) === wanted;
  if (!isRight) failed += 1;
  process.stdout.write(`${isRight ? 'ok' : 'not ok'} ${a} + ${b} = ${wanted}\n`);
}
if (failed > 0) process.stderr.write(`${failed} of ${cases.length} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
