import { randomUUID } from 'node:crypto';
import type { CreateOptions } from '../../../shims/src/provider/create.ts';
import type { SandboxProvider } from '../../../shims/src/provider/provider.ts';
import { type Check, type Outcome, ok, problem, skipped } from '../check.ts';
import type { Subject } from '../subject.ts';
import { DRIVER } from './volumes.ts';

const START_TIMEOUT_MS = 180_000;
const COMMAND_TIMEOUT_MS = 60_000;
/** It goes by itself if this program is ended before it is deleted. */
const IDLE_TIMEOUT_MS = 300_000;
const WORD = 'cubeshift-doctor';

/** Makes a sandbox, runs a command in it and deletes it. */
export const sandbox: Check<Subject> = {
  name: 'sandbox',
  needs: ['settings', 'sdk', 'api', 'key', 'server', 'template', 'data plane'],
  async run({ makeProvider, kind, template }) {
    if (kind === 'cube' && template.value === undefined) return skipped('no template is named');
    const provider = await makeProvider();
    try {
      return await tryOut(provider);
    } finally {
      await provider.close();
    }
  },
};

/** The same for a provider that is handed over made. */
export async function tryOut(provider: SandboxProvider): Promise<Outcome> {
  const { idlePolicy } = await provider.capabilities();
  const options: CreateOptions = {
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    ...(idlePolicy.actions.includes('delete') ? { onIdle: 'delete' } : {}),
  };
  const begin = performance.now();
  const made = await provider.create(options, { startTimeoutMs: START_TIMEOUT_MS });
  const created = performance.now();
  try {
    const { stdout, exitCode } = await made.exec(`echo ${WORD}`, { timeoutMs: COMMAND_TIMEOUT_MS });
    const answered = performance.now();
    if (exitCode !== 0 || stdout.trim() !== WORD) {
      return problem(
        `made, but a command in it ended with ${exitCode} and said "${stdout.trim().slice(0, 100)}"`,
        'Look at the template: it has to have a shell and what answers commands',
      );
    }
    const took = `made in ${ms(created - begin)}, a command answered in ${ms(answered - created)}`;
    return ok(`${took}, deleted`);
  } finally {
    await made.delete();
  }
}

/** Makes a volume and deletes it, which only works with a driver. */
export const volumeDriver: Check<Subject> = {
  name: 'volume driver',
  needs: ['sdk', 'server', 'volumes'],
  async run({ makeProvider, server }) {
    if (!(await server()).hasVolumes) return skipped('this CubeSandbox has no volumes');
    const provider = await makeProvider();
    const name = `cubeshift-doctor-${randomUUID()}`;
    try {
      await provider.volumes.create(name);
      await provider.volumes.delete(name);
      return ok('a volume was made and deleted');
    } catch (error) {
      return problem(`a volume cannot be made: ${(error as Error).message}`, DRIVER);
    } finally {
      await provider.close();
    }
  },
};

function ms(time: number): string {
  return time < 10_000 ? `${Math.round(time)} ms` : `${(time / 1000).toFixed(1)} s`;
}
