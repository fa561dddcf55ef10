import { spawn } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { folder, IS_ROOT, removeFolders } from './support.ts';

const ROOT = join(import.meta.dirname, '../../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** A user with no name, no groups and no rights. */
const UID = 54321;

/** Runs a program of Node as that user and gives what it says; what it writes to is in `home`. */
async function asNobody(home: string, args: readonly string[]) {
  const user = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--no-new-privs', '--'];
  const { PATH } = process.env;
  const child = spawn('setpriv', [...user, process.execPath, ...args], {
    cwd: ROOT,
    env: { PATH, HOME: home, TMPDIR: home, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
  return { code: await code, said };
}

function homeOfNobody(): string {
  const home = folder();
  chownSync(home, UID, UID);
  return home;
}

/** Why there are no namespaces for that user here; undefined when there are. */
async function obstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'needs Linux';
  if (!IS_ROOT) return 'the whole suite runs without root anyway';
  const program = `
    import { createEngine } from ${JSON.stringify(join(ROOT, 'src/local/engine/engine.ts'))};
    await (await createEngine({ isolation: 'namespaces' })).close();
  `;
  const args = ['--import', 'tsx', '--input-type=module', '-e', program];
  const { code, said } = await asNobody(homeOfNobody(), args);
  if (code === 0) return undefined;
  return /EngineError.*/.exec(said)?.[0] ?? 'another user cannot run programs from here';
}

const why = await obstacle();

afterAll(removeFolders);

test.skipIf(why !== undefined)(
  `namespaces work the same without root${why === undefined ? '' : ` (${why})`}`,
  async () => {
    const names = ['files', 'launcher', 'lifecycle', 'network', 'one-owner', 'process'];
    const files = names.map((name) => join('test/local/engine', `${name}.test.ts`));
    const { said } = await asNobody(homeOfNobody(), [
      ...[VITEST, 'run', ...files, '--testNamePattern', 'namespaces|network'],
      // The usual loader writes into node_modules.
      ...['--configLoader', 'runner', '--maxWorkers', '1'],
    ]);
    expect(said).toMatch(/^ *Test Files +\d+ passed \(\d+\)$/m);
  },
  600_000,
);
