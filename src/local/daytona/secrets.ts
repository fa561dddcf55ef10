import { randomBytes, randomUUID } from 'node:crypto';
import { iso } from './dto.ts';
import { badRequest, conflictName, DaytonaFailure } from './errors.ts';
import type { Fields } from './input.ts';
import { needText, text, textList } from './input.ts';
import type { World } from './world.ts';

interface Secret {
  readonly id: string;
  readonly name: string;
  readonly placeholder: string;
  /** Never given out: the service puts it in at the way out, which this server does not have. */
  value: string;
  description: string | undefined;
  hosts: readonly string[];
  readonly createdAt: number;
  updatedAt: number;
}

/** Names of values that sandboxes only see placeholders of. */
export class Secrets {
  readonly #world: World;
  readonly #secrets = new Map<string, Secret>();

  constructor(world: World) {
    this.#world = world;
  }

  list(): Secret[] {
    return [...this.#secrets.values()];
  }

  get(id: string): Secret {
    const secret = this.#secrets.get(id);
    if (secret === undefined) throw new DaytonaFailure(404, `Secret with ID ${id} not found`);
    return secret;
  }

  create(fields: Fields): Secret {
    const name = needText(fields, 'name');
    const value = needText(fields, 'value');
    if (this.list().some((one) => one.name === name)) throw conflictName('Secret', name);
    const now = this.#world.now();
    const secret: Secret = {
      id: randomUUID(),
      name,
      placeholder: `dtn_secret_${randomBytes(6).toString('hex')}`,
      value,
      description: text(fields, 'description'),
      hosts: textList(fields, 'hosts') ?? [],
      createdAt: now,
      updatedAt: now,
    };
    this.#secrets.set(secret.id, secret);
    return secret;
  }

  update(id: string, fields: Fields): Secret {
    const secret = this.get(id);
    secret.value = text(fields, 'value') ?? secret.value;
    secret.description = text(fields, 'description') ?? secret.description;
    secret.hosts = textList(fields, 'hosts') ?? secret.hosts;
    secret.updatedAt = this.#world.now();
    return secret;
  }

  remove(id: string): void {
    this.get(id);
    this.#secrets.delete(id);
  }

  /** What clients send, a list of `{VARIABLE: name}`, as one map. */
  resolve(pairs: readonly Fields[]): Record<string, string> {
    const named = pairs.flatMap((pair) => Object.entries(pair));
    return Object.fromEntries(
      named.map(([variable, name]) => {
        if (typeof name !== 'string') throw badRequest('secrets must name secrets');
        if (!this.list().some((secret) => secret.name === name)) {
          throw badRequest(`Secret '${name}' not found`);
        }
        return [variable, name];
      }),
    );
  }

  /** Variables of a sandbox, as its processes see them. */
  placeholders(secrets: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(secrets).flatMap(([variable, name]) => {
        const secret = this.list().find((one) => one.name === name);
        return secret === undefined ? [] : [[variable, secret.placeholder]];
      }),
    );
  }

  dto(secret: Secret): Record<string, unknown> {
    const { id, name, description, placeholder, hosts } = secret;
    return {
      ...{ id, name, description, placeholder, hosts },
      createdAt: iso(secret.createdAt),
      updatedAt: iso(secret.updatedAt),
    };
  }
}
