import { readFile } from 'node:fs/promises';
import { EngineError } from './errors.ts';
import type { Root } from './isolation/types.ts';
import { locate } from './paths.ts';
import { parseGroups, parseUsers, type User } from './users.ts';

/** Who is who in one sandbox, read anew each time: programs inside may add accounts. */
export class Accounts {
  readonly #root: () => Root;
  readonly #fixed: readonly User[] | undefined;

  constructor(root: () => Root, fixed: readonly User[] | undefined) {
    this.#root = root;
    this.#fixed = fixed;
  }

  /** Whether everything belongs to one user, whatever it is asked to belong to. */
  get haveOneOwner(): boolean {
    return this.#fixed !== undefined;
  }

  async user(name: string): Promise<User> {
    const user = (await this.users()).find((candidate) => candidate.name === name);
    if (user === undefined) {
      throw new EngineError('unknown-user', `user '${name}' does not exist in the sandbox`);
    }
    return user;
  }

  async users(): Promise<readonly User[]> {
    return this.#fixed ?? parseUsers(await this.#read('/etc/passwd'));
  }

  /** Names of groups by number. */
  async groups(): Promise<ReadonlyMap<number, string>> {
    if (this.#fixed !== undefined) {
      return new Map([...this.#fixed].reverse().map(({ gid, name }) => [gid, name]));
    }
    return parseGroups(await this.#read('/etc/group'));
  }

  #read(path: string): Promise<string> {
    return locate(this.#root(), path, { follow: true }, ({ at }) => readFile(at, 'utf8'));
  }
}
