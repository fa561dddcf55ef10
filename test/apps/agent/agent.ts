import { randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxProvider, Snapshot } from '@cubeshift/sandbox';
import type { Action, Edit, Observation, Task } from './planner.ts';

/** Where the project is in a sandbox, below the home folder. */
const FOLDER = 'work';

/** Does what a planner decides, in a sandbox. It knows no backend. */
export class Agent {
  readonly #provider: SandboxProvider;
  readonly #task: Task;
  /** The folder the task is in. */
  readonly #source: string;
  readonly #say: (line: string) => void;
  /** By which everything of this run is found. */
  readonly #labels = { agent: randomUUID() };
  readonly #port = randomInt(20_000, 30_000);
  readonly #snapshots: Snapshot[] = [];
  #sandbox: Sandbox | undefined;
  #copy: Sandbox | undefined;

  constructor(provider: SandboxProvider, task: Task, source: string, say: (line: string) => void) {
    this.#provider = provider;
    this.#task = task;
    this.#source = source;
    this.#say = say;
  }

  async act(action: Action): Promise<Observation> {
    switch (action.do) {
      case 'upload':
        return this.#upload();
      case 'test':
        return this.#test(action.on);
      case 'edit':
        return this.#edit(action.edit, action.on);
      case 'serve':
        this.#say(`serve: ${this.#task.serve}`);
        return this.#serve();
      case 'ask':
        return this.#ask();
      case 'rest':
        return this.#rest();
      case 'copy':
        return this.#makeCopy();
    }
  }

  /** Deletes all that came of this run, also after it went wrong. */
  async cleanUp(): Promise<void> {
    const found = await this.#own();
    this.#say(`clean up ${found.length} sandboxes`);
    for (const sandbox of found) await sandbox.delete();
    for (const { id } of this.#snapshots) await this.#provider.snapshots.delete(id);
    this.#say(`${(await this.#own()).length} sandboxes are left`);
  }

  async #upload(): Promise<Observation> {
    this.#sandbox = await this.#provider.create({ labels: this.#labels });
    const folder = join(this.#source, this.#task.project);
    const names = (await readdir(folder)).sort();
    const entries = names.map(async (name) => ({
      path: `${FOLDER}/${name}`,
      data: await readFile(join(folder, name)),
    }));
    await this.#sandbox.files.write(await Promise.all(entries));
    const there = await this.#sandbox.files.list(FOLDER);
    this.#say(`upload ${there.map(({ name, size }) => `${name} (${size} bytes)`).join(', ')}`);
    return { isGood: there.length === names.length };
  }

  async #test(on?: 'copy'): Promise<Observation> {
    this.#say(`test${on === 'copy' ? ' the copy' : ''}: ${this.#task.test}`);
    const lines = new Lines((line) => this.#say(`  | ${line}`));
    const { exitCode, stderr } = await this.#at(on).exec(this.#task.test, {
      cwd: FOLDER,
      onStdout: (text) => lines.push(text),
    });
    lines.end();
    for (const line of stderr.split('\n')) if (line !== '') this.#say(`  ! ${line}`);
    this.#say(`  exit code ${exitCode}`);
    return { isGood: exitCode === 0 };
  }

  async #edit(edit: Edit, on?: 'copy'): Promise<Observation> {
    const { files } = this.#at(on);
    const path = `${FOLDER}/${edit.file}`;
    const text = await files.read(path, { as: 'text' });
    const isThere = text.includes(edit.replace);
    if (isThere) await files.write(path, text.replace(edit.replace, edit.with));
    this.#say(`edit ${edit.file}${on === 'copy' ? ' of the copy' : ''}: ${edit.with}`);
    return { isGood: isThere };
  }

  async #serve(): Promise<Observation> {
    const server = await this.#at().spawn(this.#task.serve, {
      cwd: FOLDER,
      env: { PORT: `${this.#port}` },
    });
    let said = '';
    for await (const { text } of server) {
      said += text;
      if (said.includes('listening')) return { isGood: true };
    }
    this.#say(`  it ended with ${server.exitCode}: ${said}`);
    return { isGood: false };
  }

  async #ask(): Promise<Observation> {
    const { url, headers } = await this.#at().portUrl(this.#port);
    const answer = await fetch(`${url}${this.#task.ask}`, { headers });
    this.#say(`ask ${this.#task.ask}: ${answer.status} ${(await answer.text()).trim()}`);
    return { isGood: answer.ok };
  }

  /** Costs nothing meanwhile. Lines with `~` tell what depends on what the backend can do. */
  async #rest(): Promise<Observation> {
    const sandbox = this.#at();
    const { pause } = await this.#provider.capabilities();
    const keepsMemory = pause.support !== 'unsupported';
    if (keepsMemory) await sandbox.pause();
    else await sandbox.stop();
    const { state } = await sandbox.info();
    await sandbox.start();
    this.#say(`~ rest: ${state}, the service ${keepsMemory ? 'goes on' : 'starts again'}`);
    return keepsMemory ? { isGood: true } : this.#serve();
  }

  async #makeCopy(): Promise<Observation> {
    const snapshot = await this.#at().snapshot();
    this.#snapshots.push(snapshot);
    this.#copy = await this.#provider.snapshots.restore(snapshot.id, { labels: this.#labels });
    this.#say('copy: a snapshot, restored');
    return { isGood: true };
  }

  async #own(): Promise<Sandbox[]> {
    const found: Sandbox[] = [];
    for await (const sandbox of this.#provider.list({ labels: this.#labels })) found.push(sandbox);
    return found;
  }

  #at(on?: 'copy'): Sandbox {
    const sandbox = on === 'copy' ? this.#copy : this.#sandbox;
    if (sandbox === undefined) throw new Error('The plan uses a sandbox before it is there');
    return sandbox;
  }
}

/** Puts pieces of text together to lines. */
class Lines {
  readonly #say: (line: string) => void;
  #rest = '';

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#say(line);
  }

  end(): void {
    if (this.#rest !== '') this.push('\n');
  }
}
