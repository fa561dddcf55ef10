import type { Backend, Box } from './backends.ts';

/** Times of creating a box and running its first command, in milliseconds. */
export async function firstCommand(backend: Backend): Promise<number> {
  const started = performance.now();
  const box = await backend.create();
  await box.run('true');
  const ms = performance.now() - started;
  await box.delete();
  return ms;
}

/** How long many boxes at once took, in milliseconds from the start. */
export interface Burst {
  /** Until all were created. */
  createdMs: number;
  /** Until the first command of each was done. */
  doneMs: number;
}

/** Creates boxes all at once and then, when the last is there, runs a command in all of them. */
export async function burst(backend: Backend, count: number): Promise<Burst> {
  const started = performance.now();
  const boxes = await all(count, () => backend.create());
  const createdMs = performance.now() - started;
  await Promise.all(boxes.map((box) => box.run('true')));
  const doneMs = performance.now() - started;
  await Promise.all(boxes.map((box) => box.delete()));
  return { createdMs, doneMs };
}

/** Boxes that have run a command and now do nothing. */
export async function idle(backend: Backend, count: number): Promise<Box[]> {
  const boxes: Box[] = [];
  // In small groups: how they come to be is not what is measured.
  while (boxes.length < count) {
    const group = Math.min(10, count - boxes.length);
    boxes.push(...(await all(group, () => backend.create())));
    await Promise.all(boxes.slice(-group).map((box) => box.run('true')));
  }
  return boxes;
}

/** Runs commands spread over boxes that work side by side. */
export async function manyCommands(
  backend: Backend,
  commands: number,
  boxes: number,
): Promise<{ ms: number; errors: unknown[] }> {
  const ready = await all(boxes, () => backend.create());
  const errors: unknown[] = [];
  const started = performance.now();
  await Promise.all(
    ready.map(async (box, index) => {
      for (let i = index; i < commands; i += boxes) {
        await box.run(`echo ${i}`).catch((error) => errors.push(error));
      }
    }),
  );
  const ms = performance.now() - started;
  await Promise.all(ready.map((box) => box.delete()));
  return { ms, errors };
}

function all<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, make));
}
