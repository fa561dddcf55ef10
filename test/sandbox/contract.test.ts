import {
  type CreateOptions,
  isSandboxError,
  joinId,
  type ProcessControl,
  ProcessHandle,
  SandboxError,
  SandboxProvider,
  splitId,
} from '@cubeshift/sandbox';
import { describe, expect, it } from 'vitest';
import { HostProvider } from '../../examples/provider/host-provider.ts';
import { FullProvider } from './support/full-provider.ts';

const control = (): ProcessControl => ({
  id: '1',
  streamsMerged: false,
  kill: async () => true,
  sendInput: async () => undefined,
  closeInput: async () => undefined,
  disconnect: async () => undefined,
});

describe('ProcessHandle', () => {
  it('gives what was printed, apart and in order', async () => {
    const handle = new ProcessHandle(control());
    handle.push('stdout', 'a');
    handle.push('stderr', 'b');
    handle.push('stdout', 'c');
    handle.end({ exitCode: 3 });
    expect(await handle.wait()).toEqual({
      exitCode: 3,
      stdout: 'ac',
      stderr: 'b',
      output: 'abc',
      streamsMerged: false,
    });
  });

  it('counts the first end alone, and nothing after it', async () => {
    const handle = new ProcessHandle(control());
    handle.end({ exitCode: 0 });
    handle.end({ error: new Error('late') });
    handle.push('stdout', 'late');
    expect(await handle.wait()).toMatchObject({ exitCode: 0, output: '' });
    expect(await handle.kill()).toBe(false);
  });

  it('gives who iterates later everything, unless it is not kept', async () => {
    const texts = async (capture: boolean): Promise<string[]> => {
      const handle = new ProcessHandle(control(), { capture });
      handle.push('stdout', 'before');
      const iterated = (async () => {
        const all: string[] = [];
        for await (const { text } of handle) all.push(text);
        return all;
      })();
      await Promise.resolve();
      handle.push('stdout', 'after');
      handle.end({ exitCode: 0 });
      return iterated;
    };
    expect(await texts(true)).toEqual(['before', 'after']);
    expect(await texts(false)).toEqual(['after']);
  });

  it('throws what it was lost by, where it is waited for and where it is read', async () => {
    const handle = new ProcessHandle(control());
    const error = new SandboxError('unavailable', 'The connection is gone');
    handle.end({ error });
    await expect(handle.wait()).rejects.toBe(error);
    await expect(
      (async () => {
        for await (const _ of handle);
      })(),
    ).rejects.toBe(error);
    await handle.ended;
    expect(handle.exitCode).toBeUndefined();
  });
});

describe('ids', () => {
  it('carry their provider', () => {
    expect(splitId(joinId('cube', 'a:b'))).toEqual({ provider: 'cube', nativeId: 'a:b' });
    expect(splitId('abc')).toEqual({ provider: undefined, nativeId: 'abc' });
    expect(splitId('Not A Name:x')).toMatchObject({ provider: undefined });
  });

  it('need a name that can be told from the rest', () => {
    const named = (name: string): unknown => Reflect.construct(SandboxProvider, [name]);
    for (const name of ['', 'Upper', '1st', 'a:b', 'a b']) {
      expect(() => named(name)).toThrow('cannot name a provider');
    }
  });
});

describe('errors', () => {
  it('say whether a repeat is safe', () => {
    expect(new SandboxError('rate_limited', 'x').retryable).toBe(true);
    expect(new SandboxError('unavailable', 'x').retryable).toBe('unknown');
    expect(new SandboxError('unavailable', 'x', { retryable: true }).retryable).toBe(true);
    expect(new SandboxError('not_found', 'x').retryable).toBe(false);
  });

  it('are known, also of another copy of the package', () => {
    const other = Object.assign(new Error('x'), {
      name: 'SandboxError',
      code: 'not_found',
      retryable: false,
    });
    expect(isSandboxError(other)).toBe(true);
    expect(isSandboxError(other, 'not_found')).toBe(true);
    expect(isSandboxError(other, 'conflict')).toBe(false);
    expect(isSandboxError(new Error('x'))).toBe(false);
    expect(isSandboxError(undefined)).toBe(false);
  });

  it('keep their cause', () => {
    const cause = new Error('below');
    expect(new SandboxError('unavailable', 'above', { cause }).cause).toBe(cause);
    expect('cause' in new SandboxError('unavailable', 'above')).toBe(false);
  });
});

describe('create says what is wrong with its options', () => {
  it.each<[CreateOptions, string, string]>([
    [{ env: { '1A': 'x' } }, 'invalid_argument', '"1A" cannot name an environment variable'],
    [{ labels: { 'cubeshift-x': '' } }, 'invalid_argument', 'kept for this package'],
    [{ idleTimeoutMs: 0 }, 'invalid_argument', 'or null for never'],
    [{ lifetimeMs: -1 }, 'invalid_argument', 'lifetimeMs is -1: give milliseconds'],
    [{ volumes: [{ volume: 'v', path: 'x' }] }, 'invalid_argument', 'give an absolute path'],
    [{ idleTimeoutMs: 60_000 }, 'unsupported', 'host does not support idle policies.'],
    [{ onIdle: 'pause' }, 'unsupported', 'host does not support idle policies.'],
    [{ lifetimeMs: 60_000 }, 'unsupported', 'host does not support lifetimeMs.'],
    [{ name: 'x' }, 'unsupported', 'host does not support names.'],
    [{ user: 'root' }, 'unsupported', 'host does not support accounts.'],
    [{ network: {} }, 'unsupported', 'host does not support network rules.'],
    [{ volumes: [{ volume: 'v', path: '/x' }] }, 'unsupported', 'does not support volumes.'],
  ])('%j', async (options, code, message) => {
    const call = new HostProvider().create(options);
    await expect(call).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('for a backend that has limits', async () => {
    const provider = new FullProvider();
    const readOnly = { volume: 'v', path: '/x', readOnly: true };
    for (const [options, code, message] of [
      [{ idleTimeoutMs: 500 }, 'invalid_argument', 'full needs at least 1000 ms'],
      [{ volumes: [readOnly] }, 'unsupported', 'Mount it without readOnly'],
    ] as const) {
      const call = provider.create(options);
      await expect(call).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    }
    await provider.close();
  });
});
