import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createProvider } from '@cubeshift/sandbox';
import { Agent } from './agent.ts';
import { type Observation, plan, type Task } from './planner.ts';

/**
 * An agent that works on a task: `main.ts <task.json>`. On which backend is said by
 * sandbox.config.json and SANDBOX_PROVIDER, and by nothing in here.
 */

const [file = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const task = JSON.parse(await readFile(file, 'utf8')) as Task;
const provider = createProvider();
const agent = new Agent(provider, task, dirname(file), say);
try {
  say(`task: ${task.goal}`);
  const steps = plan(task);
  let seen: Observation = { isGood: true };
  let step = steps.next(seen);
  while (step.done !== true) {
    seen = await agent.act(step.value);
    step = steps.next(seen);
  }
  say(step.value ? 'done' : 'given up');
  process.exitCode = step.value ? 0 : 1;
} finally {
  await agent.cleanUp();
  await provider.close();
}
