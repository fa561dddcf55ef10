import {
  type Call,
  type Layer,
  type RecordedCall,
  SandboxError,
  type SandboxErrorOptions,
  type SandboxProvider,
  type Tracer,
  withConcurrency,
  withDeadline,
  withLayer,
  withRecorder,
  withRetry,
  withTracing,
} from '@cubeshift/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FullProvider } from './support/full-provider.ts';

let full: FullProvider;
beforeEach(() => {
  full = new FullProvider();
});
afterEach(() => full.close());

/** A backend that fails at some calls: each time as the next entry says, before or after the effect. */
function failing(
  plan: Partial<
    Record<Call['operation'], [SandboxErrorOptions['retryable'], 'before' | 'after'][]>
  >,
): { provider: FullProvider; made: string[] } {
  const made: string[] = [];
  const layer: Layer = async (call, next) => {
    made.push(call.operation);
    const [retryable, when] = plan[call.operation]?.shift() ?? [];
    const error = new SandboxError('unavailable', 'it failed', { retryable: retryable ?? false });
    if (when === 'before') throw error;
    const result = await next();
    if (when === 'after') throw error;
    return result;
  };
  return { provider: withLayer(full, layer), made };
}

const FAST = { firstDelayMs: 1, longestDelayMs: 2 };

async function count(provider: SandboxProvider): Promise<number> {
  let all = 0;
  for await (const _ of provider.list()) all += 1;
  return all;
}

describe('withRetry', () => {
  it('repeats what did nothing, whatever it is', async () => {
    const { provider, made } = failing({
      'sandbox.exec': [
        [true, 'before'],
        [true, 'before'],
      ],
    });
    const sandbox = await withRetry(provider, FAST).create();
    expect((await sandbox.exec('echo once')).output).toBe('once\n');
    expect(made.filter((one) => one === 'sandbox.exec')).toHaveLength(3);
    await sandbox.delete();
  });

  it('does not run a command again that may have run', async () => {
    const { provider } = failing({ 'sandbox.exec': [['unknown', 'after']] });
    const sandbox = await withRetry(provider, FAST).create();
    await expect(sandbox.exec('echo x >> log')).rejects.toThrow('it failed');
    expect((await sandbox.exec('cat log')).output).toBe('x\n');
    await sandbox.delete();
  });

  it('repeats what may have happened and is harmless twice', async () => {
    const { provider, made } = failing({
      'files.write': [['unknown', 'after']],
      'files.read': [['unknown', 'before']],
      'provider.delete': [['unknown', 'after']],
    });
    const retrying = withRetry(provider, FAST);
    const sandbox = await retrying.create();
    await sandbox.files.write('a', 'b');
    expect(await sandbox.files.read('a', { as: 'text' })).toBe('b');
    await retrying.delete(sandbox.id);
    expect(made.filter((one) => one.startsWith('files.'))).toHaveLength(4);
  });

  it('makes one sandbox of a creation that is repeated', async () => {
    const { provider } = failing({ 'provider.create': [['unknown', 'after']] });
    const sandbox = await withRetry(provider, FAST).create();
    expect(await count(full)).toBe(1);
    await sandbox.delete();
  });

  it('does not repeat what would fail again, and gives up in the end', async () => {
    const never = failing({ 'provider.find': [[false, 'before']] });
    await expect(withRetry(never.provider, FAST).find('full:x')).rejects.toThrow('it failed');
    expect(never.made).toEqual(['provider.find']);

    const always = failing({
      'provider.find': Array.from({ length: 9 }, () => [true, 'before'] as [boolean, 'before']),
    });
    await expect(
      withRetry(always.provider, { ...FAST, attempts: 3 }).find('full:x'),
    ).rejects.toThrow('it failed');
    expect(always.made).toHaveLength(3);
  });

  it('does not send a stream twice', async () => {
    const { provider, made } = failing({ 'files.write': [[true, 'before']] });
    const sandbox = await withRetry(provider, FAST).create();
    const stream = new Blob(['x']).stream() as ReadableStream<Uint8Array>;
    await expect(sandbox.files.write('a', stream)).rejects.toThrow('it failed');
    expect(made.filter((one) => one === 'files.write')).toHaveLength(1);
    await sandbox.delete();
  });

  it('waits as long as it is asked to, tells of it, and can be stopped meanwhile', async () => {
    const layer: Layer = () =>
      Promise.reject(new SandboxError('rate_limited', 'later', { retryAfterMs: 60_000 }));
    const stop = new AbortController();
    const told: number[] = [];
    const retrying = withRetry(withLayer(full, layer), {
      longestDelayMs: 50_000,
      onRetry: ({ delayMs }) => {
        told.push(delayMs);
        stop.abort(new Error('enough'));
      },
    });
    await expect(retrying.find('full:x', { signal: stop.signal })).rejects.toThrow('enough');
    expect(told).toEqual([50_000]);
  });
});

describe('withDeadline', () => {
  it('ends what takes too long, but not commands', async () => {
    const hanging: Layer = (call, next) => {
      if (call.operation !== 'sandbox.info') return next();
      const { signal } = call.args[0] as { signal: AbortSignal };
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const provider = withDeadline(withLayer(full, hanging), { timeoutMs: 30 });
    const sandbox = await provider.create();
    await expect(sandbox.info()).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('sandbox.info took longer than 30 ms'),
    });
    expect((await sandbox.exec('sleep 0.1; echo done')).output).toBe('done\n');
    await sandbox.delete();
  });

  it('keeps the signal of the caller, and can have other times', async () => {
    const seen: unknown[] = [];
    const look: Layer = (call, next) => {
      seen.push(call.args.map((arg) => Object.keys(arg ?? {})));
      return next();
    };
    const provider = withDeadline(withLayer(full, look), {
      timeoutMs: 5_000,
      operations: { 'provider.find': null },
    });
    const stop = AbortSignal.abort(new Error('mine'));
    await expect(provider.create({}, { signal: stop })).rejects.toThrow('mine');
    await provider.find('full:x');
    expect(seen.at(-1)).toEqual([['0', '1', '2', '3', '4', '5']]);
  });
});

describe('withConcurrency', () => {
  it('makes no more at a time than it may, and loses none', async () => {
    let running = 0;
    let most = 0;
    const watch: Layer = async (_call, next) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      try {
        return await next();
      } finally {
        running -= 1;
      }
    };
    const provider = withConcurrency(withLayer(full, watch), 3);
    const found = await Promise.all(
      Array.from({ length: 20 }, (_, i) => provider.find(`full:${i}`)),
    );
    expect(found).toHaveLength(20);
    expect(most).toBe(3);
  });

  it('lets a call go that is aborted while it waits', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold: Layer = async (_call, next) => {
      await held;
      return next();
    };
    const provider = withConcurrency(withLayer(full, hold), 1);
    const first = provider.find('full:1');
    const stop = new AbortController();
    const second = provider.find('full:2', { signal: stop.signal });
    const third = provider.find('full:3');
    stop.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    release();
    await expect(Promise.all([first, third])).resolves.toEqual([undefined, undefined]);
  });
});

describe('withTracing', () => {
  it('makes a span of every call, with its error', async () => {
    const spans: { name: string; attributes: object; error?: string; ended: boolean }[] = [];
    const tracer: Tracer = {
      startActiveSpan: (name, { attributes }, run) => {
        const span = { name, attributes: { ...attributes }, ended: false };
        spans.push(span);
        return run({
          setAttributes: (more) => Object.assign(span.attributes, more),
          recordException: (error) => Object.assign(span, { error: error.message }),
          setStatus: () => undefined,
          end: () => {
            span.ended = true;
          },
        });
      },
    };
    const provider = withTracing(full, { tracer });
    const sandbox = await provider.create();
    await sandbox.exec('true');
    await expect(sandbox.files.read('nothing')).rejects.toThrow();
    await sandbox.delete();
    expect(spans.map(({ name }) => name)).toEqual([
      'provider.create',
      'sandbox.exec',
      'files.read',
      'sandbox.delete',
    ]);
    expect(spans.every(({ ended }) => ended)).toBe(true);
    expect(spans[1]?.attributes).toEqual({
      'sandbox.provider': 'full',
      'sandbox.id': sandbox.id,
    });
    expect(spans[2]?.attributes).toMatchObject({ 'error.type': 'not_found' });
  });
});

describe('withRecorder', () => {
  it('tells of calls in a form without secrets, the same for the same program', async () => {
    const run = async (provider: SandboxProvider): Promise<RecordedCall[]> => {
      const calls: RecordedCall[] = [];
      const recording = withRecorder(provider, { record: (call) => calls.push(call) });
      const sandbox = await recording.create({ env: { API_KEY: 'hunter2' } });
      await sandbox.exec('echo hello', { env: { TOKEN: 'hunter2' }, stdin: 'hunter2' });
      await sandbox.files.write('a', 'hunter2');
      await sandbox.git
        .clone('file:///nowhere', { username: 'u', password: 'hunter2' })
        .catch(() => undefined);
      await sandbox.delete();
      return calls;
    };
    const other = new FullProvider('other');
    const [one, two] = [await run(full), await run(other)];
    await other.close();
    expect(JSON.stringify(one)).not.toContain('hunter2');
    expect(one.map(({ operation, sandbox }) => [operation, sandbox])).toEqual([
      ['provider.create', undefined],
      ['sandbox.exec', 1],
      ['files.write', 1],
      ['git.clone', 1],
      ['sandbox.delete', 1],
    ]);
    expect(one[0]).toMatchObject({ args: [{ env: { API_KEY: '…' } }], result: { sandbox: 1 } });
    expect(one[1]).toMatchObject({ result: { exitCode: 0, stdout: { bytes: 6 } } });
    expect(one[3]?.error).toMatchObject({ code: 'conflict' });
    const plain = (calls: RecordedCall[]) =>
      calls.map(({ startedAt: _, durationMs: __, provider: ___, ...call }) => call);
    expect(plain(two)).toEqual(plain(one));
  });
});

describe('layers', () => {
  it('go around each other, reach everything, and leave private parts alone', async () => {
    const seen: string[] = [];
    const mark =
      (name: string): Layer =>
      (call, next) => {
        seen.push(`${name} ${call.operation}`);
        return next();
      };
    const provider = withLayer(withLayer(full, mark('inner')), mark('outer'));
    expect(provider).toBeInstanceOf(FullProvider);
    const sandbox = await provider.create();
    seen.length = 0;
    await sandbox.files.exists('x');
    expect(seen).toEqual(['outer files.exists', 'inner files.exists']);
    seen.length = 0;
    for await (const one of provider.list()) await one.info();
    expect(seen).toEqual([
      'outer provider.list',
      'inner provider.list',
      'outer sandbox.info',
      'inner sandbox.info',
    ]);
    await sandbox.delete();
  });
});
