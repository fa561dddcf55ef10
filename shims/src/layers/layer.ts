import type { SandboxProvider } from '../provider/provider.ts';
import { Sandbox } from '../provider/sandbox.ts';
import { OPERATIONS, type Operation, type OperationName, type Subject } from './operations.ts';

/** A call on its way to a backend. */
export interface Call extends Operation {
  readonly operation: OperationName;
  /** Name of the provider. */
  readonly provider: string;
  /** Id of the sandbox it is made on. */
  readonly sandboxId: string | undefined;
  readonly args: readonly unknown[];
}

/** Makes the call, with its own arguments or with others. May be called several times. */
export type Next = (args?: readonly unknown[]) => Promise<unknown>;

/** Stands between callers and a backend; gives the result of `next`, or throws. */
export type Layer = (call: Call, next: Next) => Promise<unknown>;

/**
 * A provider whose calls, and those of its sandboxes, all go through a layer. Layers go around each
 * other: the one added last is the first to see a call.
 */
export function withLayer<P extends SandboxProvider>(provider: P, layer: Layer): P {
  return around(provider, 'provider', { layer, provider: provider.name });
}

interface Context {
  layer: Layer;
  provider: string;
  sandboxId?: string;
}

/** Objects with operations of their own, by the property they are found under. */
const PARTS: Readonly<Record<string, Subject>> = {
  volumes: 'volumes',
  snapshots: 'snapshots',
  templates: 'templates',
  files: 'files',
  pty: 'pty',
  git: 'git',
};

/**
 * A view of an object. Methods run with the object itself as `this`: its private fields need that, and
 * what it calls of its own is not a call of the program.
 */
function around<T extends object>(target: T, subject: Subject, context: Context): T {
  const operations: Readonly<Record<string, Operation>> = OPERATIONS[subject];
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof name !== 'string') return bound(target, value);
      const part = PARTS[name];
      if (part !== undefined && typeof value === 'object' && value !== null) {
        return around(value, part, context);
      }
      const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (operation === undefined || typeof value !== 'function') return bound(target, value);
      const call = { ...operation, ...named(context), operation: `${subject}.${name}` };
      const make = (args: readonly unknown[]): unknown => Reflect.apply(value, target, args);
      return (...args: unknown[]) =>
        call.operation === 'provider.list'
          ? listed({ ...call, args } as Call, make, context)
          : through({ ...call, args } as Call, make, context);
    },
  });
}

async function through(
  call: Call,
  make: (args: readonly unknown[]) => unknown,
  context: Context,
): Promise<unknown> {
  const next: Next = async (args = call.args) => make(args);
  return seen(await context.layer(call, next), context);
}

/** Asking for the first one is the call; later ones come of the same list. */
async function* listed(
  call: Call,
  make: (args: readonly unknown[]) => unknown,
  context: Context,
): AsyncIterable<unknown> {
  let all: AsyncIterator<unknown> | undefined;
  const first = await context.layer(call, async (args = call.args) => {
    all = (make(args) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    return all.next();
  });
  try {
    for (let next = first as IteratorResult<unknown>; next.done !== true; ) {
      yield seen(next.value, context);
      next = (await all?.next()) ?? { done: true, value: undefined };
    }
  } finally {
    await all?.return?.();
  }
}

/** Sandboxes that come of a call are seen through the layer, too. */
function seen(result: unknown, { layer }: Context): unknown {
  if (!(result instanceof Sandbox)) return result;
  return around(result, 'sandbox', {
    layer,
    provider: result.provider,
    sandboxId: result.id,
  });
}

function named({ provider, sandboxId }: Context): Pick<Call, 'provider' | 'sandboxId'> {
  return { provider, sandboxId };
}

function bound(target: object, value: unknown): unknown {
  return typeof value === 'function' ? value.bind(target) : value;
}

/** The arguments of a call with more options. */
export function withOptions(call: Call, more: object): unknown[] {
  const args = [...call.args];
  const at = optionsAt(call);
  args[at] = { ...(args[at] as object | undefined), ...more };
  return args;
}

/** The signal that a call was given. */
export function signalOf(call: Call): AbortSignal | undefined {
  const options = call.args[optionsAt(call)];
  return (options as { signal?: AbortSignal } | undefined)?.signal;
}

/** `write` takes a list of files as one argument instead of two. */
function optionsAt({ operation, optionsAt: at, args }: Call): number {
  return operation === 'files.write' && typeof args[0] !== 'string' ? at - 1 : at;
}
