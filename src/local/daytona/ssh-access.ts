import { randomUUID } from 'node:crypto';
import { iso } from './dto.ts';
import { newToken } from './lifecycle.ts';
import type { SandboxRecord } from './record.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const DEFAULT_MINUTES = 60;

interface Access {
  readonly id: string;
  readonly sandboxId: string;
  readonly token: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * Tokens for SSH. They are kept and checked as by the service; there is no SSH server here, and the
 * command says so.
 */
export class SshAccess {
  readonly #world: World;
  readonly #byToken = new Map<string, Access>();

  constructor(world: World) {
    this.#world = world;
  }

  create({ id: sandboxId }: SandboxRecord, minutes = DEFAULT_MINUTES): Record<string, unknown> {
    const createdAt = this.#world.now();
    const expiresAt = createdAt + minutes * MINUTE;
    const access = { id: randomUUID(), sandboxId, token: newToken(), createdAt, expiresAt };
    this.#byToken.set(access.token, access);
    return {
      ...access,
      createdAt: iso(createdAt),
      updatedAt: iso(createdAt),
      expiresAt: iso(expiresAt),
      sshCommand: `echo 'cubeshift local has no SSH server; use the toolbox' # ${access.token}`,
    };
  }

  /** One token of a sandbox, or all. */
  revoke({ id }: SandboxRecord, token: string | undefined): void {
    if (token === undefined) this.forget(id);
    else if (this.#byToken.get(token)?.sandboxId === id) this.#byToken.delete(token);
  }

  /** The sandbox a token is for, while it is good. */
  validate(token: string): string | undefined {
    const access = this.#byToken.get(token);
    return access !== undefined && access.expiresAt > this.#world.now()
      ? access.sandboxId
      : undefined;
  }

  forget(sandboxId: string): void {
    for (const access of this.#byToken.values()) {
      if (access.sandboxId === sandboxId) this.#byToken.delete(access.token);
    }
  }
}
