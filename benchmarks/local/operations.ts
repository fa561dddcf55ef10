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

/** Creates boxes all at once, runs a command in each and waits for the last. */
export async function burst(backend: Backend, count: number): Promise<number> {
  const started = performance.now();
  const boxes = await all(count, async () => {
    const box = await backend.create();
    await box.run('true');
    return box;
  });
  const ms = performance.now() - started;
  await Promise.all(boxes.map((box) => box.delete()));
  return ms;
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
