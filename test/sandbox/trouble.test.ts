import { createHash, randomBytes } from 'node:crypto';
import {
  type CreateOptions,
  isSandboxError,
  type Sandbox,
  type SandboxError,
  type SandboxErrorCode,
  type SandboxProvider,
  withDeadline,
  withRetry,
} from '@cubeshift/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CubeProvider } from '../../shims/src/providers/cube/index.ts';
import { DaytonaProvider } from '../../shims/src/providers/daytona/index.ts';
import { E2BProvider } from '../../shims/src/providers/e2b/index.ts';
import { type FaultRule, type LocalServer, startLocal } from '../../src/local/index.ts';
import { FrontProxy, type OwnAnswer } from './support/proxy.ts';

/** How a backend is reached, and what its routes are called. */
interface Backend {
  flavor: 'e2b' | 'cube';
  make(local: LocalServer, origin: string): SandboxProvider;
  origin(local: LocalServer): string;
  create: string;
  list: string;
  one: string;
  start: string;
  /** How commands reach a sandbox. */
  inside: string;
  /** Whether a host that is lost takes its sandboxes with it. */
  diesWithHost: boolean;
}

const E2B_ROUTES = {
  create: 'POST /sandboxes',
  list: 'GET /v2/sandboxes',
  one: '/sandboxes/:id',
  start: 'POST /sandboxes/:id/connect',
  inside: 'POST /process.Process/Start',
  diesWithHost: true,
};

const BACKENDS: Readonly<Record<string, Backend>> = {
  e2b: {
    ...E2B_ROUTES,
    flavor: 'e2b',
    origin: ({ e2b }) => e2b.url,
    make: ({ e2b: { url, apiKey, templateId: template } }, apiUrl) =>
      new E2BProvider({ apiUrl, sandboxUrl: url, apiKey, template }),
  },
  cube: {
    ...E2B_ROUTES,
    flavor: 'cube',
    origin: ({ e2b }) => e2b.url,
    make: ({ e2b: { url, apiKey, templateId: template } }, apiUrl) =>
      new CubeProvider({ apiUrl, proxyUrl: url, apiKey, template }),
  },
  daytona: {
    flavor: 'cube',
    origin: ({ daytona }) => new URL(daytona.url).origin,
    make: ({ daytona: { apiKey } }, origin) =>
      new DaytonaProvider({ apiUrl: `${origin}/api`, apiKey }),
    create: 'POST /api/sandbox',
    list: 'GET /api/sandbox',
    one: '/api/sandbox/:id',
    start: 'POST /api/sandbox/:id/start',
    inside: 'POST /toolbox/:id/process/execute',
    diesWithHost: false,
  },
};

/** For a machine that is busy. */
const PATIENT = { timeout: 20_000 };
const MINUTE_MS = 60_000;
const WINDOW_MS = 120 * MINUTE_MS;

/** Ways in which an answer is lost although what was asked for has happened. */
const LOST: Readonly<Record<string, FaultRule>> = {
  'the connection breaks': { reset: 'after' },
  'the answer breaks off': { truncateBytes: 20 },
};

/** Answers that say nothing about whether a sandbox exists, with the codes that they mean. */
const TELLING_NOTHING: readonly [string, FaultRule, SandboxErrorCode][] = [
  ['time over', { status: 408 }, 'timeout'],
  ['too many requests', { status: 429 }, 'rate_limited'],
  ['an error of the server', { status: 500 }, 'unavailable'],
  ['a bad gateway', { status: 502 }, 'unavailable'],
  ['a busy server', { status: 503 }, 'unavailable'],
  ['a broken connection', { reset: 'before' }, 'unavailable'],
];

const inJson = (status: number, body: object): OwnAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

/** What something between may say in the place of the server. */
const IN_ITS_PLACE: readonly [string, OwnAnswer, SandboxErrorCode][] = [
  ['a key that has expired', inJson(401, { code: 401, message: 'expired' }), 'unauthorized'],
  ['a key for other things', inJson(403, { code: 403, message: 'not yours' }), 'forbidden'],
  ['no page', { status: 404, type: 'text/plain', body: '404 page not found\n' }, 'unavailable'],
  ['no page, in HTML', { status: 404, type: 'text/html', body: '<h1>404</h1>' }, 'unavailable'],
  ['no route', inJson(404, { message: 'no Route matched with those values' }), 'unavailable'],
];

/** Calls about a sandbox that exists, none of which may say that it does not. */
const ABOUT_ONE: Readonly<
  Record<string, (own: SandboxProvider, sandbox: Sandbox) => Promise<unknown>>
> = {
  find: (own, { id }) => own.find(id),
  get: (own, { id }) => own.get(id),
  list: (own) => own.list()[Symbol.asyncIterator]().next(),
  info: (_, sandbox) => sandbox.info(),
  start: (_, sandbox) => sandbox.start(),
  stop: (_, sandbox) => sandbox.stop(),
  'provider.delete': (own, { id }) => own.delete(id),
  'sandbox.delete': (_, sandbox) => sandbox.delete(),
};

describe.each(Object.entries(BACKENDS))('%s', (_name, backend) => {
  let local: LocalServer;
  let proxy: FrontProxy;
  /** Asks when there is no trouble. */
  let calm: SandboxProvider;
  const opened: SandboxProvider[] = [];

  /** As another program has it, that has seen the server before. */
  const provider = async (origin = backend.origin(local)): Promise<SandboxProvider> => {
    const made = backend.make(local, origin);
    opened.push(made);
    await made.capabilities();
    return made;
  };
  const trouble = (...rules: FaultRule[]): void => local.faults.set({ rules });
  const ids = async (): Promise<string[]> => {
    const all: string[] = [];
    for await (const { id } of calm.list()) all.push(id);
    return all;
  };
  const stateOf = async ({ id }: Sandbox): Promise<string> => (await calm.get(id)).lastInfo.state;
  const sleep = async (sandbox: Sandbox): Promise<void> => {
    const { pause } = await calm.capabilities();
    await (pause.support === 'unsupported' ? sandbox.stop() : sandbox.pause());
  };
  /** Its own end of its window. */
  const fallsAsleep = (sandbox: Sandbox): Promise<void> =>
    expect.poll(() => stateOf(sandbox), PATIENT).toMatch(/^(?:paused|stopped)$/);

  beforeAll(async () => {
    local = await startLocal({ flavor: backend.flavor });
    proxy = await FrontProxy.open(backend.origin(local));
    calm = withRetry(await provider());
  });
  afterEach(async () => {
    local.faults.set({});
    proxy.meet = () => undefined;
    for (const id of await ids()) await calm.delete(id);
  });
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await proxy.close();
    await local.close();
  });

  describe('a creation whose answer is lost', () => {
    it.each(Object.entries(LOST))('gives the sandbox that came of it: %s', async (_how, fault) => {
      const own = await provider();
      trouble({ route: backend.create, times: 1, ...fault });
      const sandbox = await own.create();
      expect(await ids()).toEqual([sandbox.id]);
      await works(sandbox);
    });

    it('and that cannot be looked for leaves nothing', async () => {
      const own = await provider();
      trouble({ route: backend.create, reset: 'after' }, { route: backend.list, status: 500 });
      const unknown = { code: 'unavailable', retryable: 'unknown' };
      expect(await problem(own.create())).toMatchObject(unknown);
      local.faults.set({});
      expect(await ids()).toHaveLength(1);
      await own.close();
      expect(await ids()).toEqual([]);
    });

    it('is made up for by another attempt, and there is one sandbox', async () => {
      const own = withRetry(await provider(), { firstDelayMs: 1 });
      trouble(
        { route: backend.create, reset: 'after', times: 1 },
        { route: backend.list, status: 500, times: 1 },
      );
      const sandbox = await own.create();
      expect(await ids()).toEqual([sandbox.id]);
      await works(sandbox);
    });
  });

  describe('a creation that comes too late', () => {
    /** Gives a creation up, and has it happen after that. What came of it is not seen before `meet` is reset. */
    const late = async (own: SandboxProvider, options?: CreateOptions): Promise<void> => {
      let goOn: (value: undefined) => void = () => undefined;
      const held = new Promise<undefined>((resolve) => {
        goOn = resolve;
      });
      const [, path] = backend.create.split(' ');
      proxy.meet = (asked) => (asked === `POST ${path}` ? held : undefined);
      const failed = await problem(own.create(options, { startTimeoutMs: 50 }));
      expect(failed).toMatchObject({ code: 'timeout', retryable: 'unknown' });
      expect(await ids()).toEqual([]);
      const unseen = inJson(500, { code: 500, message: 'not now' });
      proxy.meet = (asked) => (asked.startsWith(backend.list) ? unseen : undefined);
      goOn(undefined);
      await expect.poll(ids, PATIENT).toHaveLength(1);
      proxy.meet = () => undefined;
    };

    it('is deleted by close()', async () => {
      const own = await provider(proxy.url);
      await late(own);
      await own.close();
      expect(await ids()).toEqual([]);
    });

    it('is deleted while the program goes on', async () => {
      const own = await provider(proxy.url);
      await late(own);
      await expect.poll(ids, PATIENT).toEqual([]);
    });

    it('is given to who asks again with its token', async () => {
      const own = await provider(proxy.url);
      const token = 'asked for again';
      await late(own, { token });
      const sandbox = await own.create({ token });
      await own.close();
      expect(await ids()).toEqual([sandbox.id]);
      await works(await calm.get(sandbox.id));
    });
  });

  describe('nothing is taken for deleted because of', () => {
    const codes = async (own: SandboxProvider, sandbox: Sandbox): Promise<object> => {
      const calls = Object.entries(ABOUT_ONE).map(async ([name, call]) => {
        const { code } = await problem(call(own, sandbox), name);
        return [name, code] as const;
      });
      return Object.fromEntries(await Promise.all(calls));
    };
    const all = (code: SandboxErrorCode): object =>
      Object.fromEntries(Object.keys(ABOUT_ONE).map((name) => [name, code]));

    it('answers that the server gives in trouble', async () => {
      const own = await provider();
      const sandbox = await own.create();
      for (const [what, fault, code] of TELLING_NOTHING) {
        trouble(fault);
        expect(await codes(own, sandbox), what).toEqual(all(code));
      }
      local.faults.set({});
      await works(await calm.get(sandbox.id));
    });

    it('answers that are given in its place', async () => {
      const own = await provider(proxy.url);
      const sandbox = await own.create();
      for (const [what, answer, code] of IN_ITS_PLACE) {
        proxy.meet = () => answer;
        expect(await codes(own, sandbox), what).toEqual(all(code));
      }
      proxy.meet = () => undefined;
      await works(await calm.get(sandbox.id));
    });

    it('half an answer', async () => {
      const own = await provider();
      const sandbox = await own.create();
      trouble({ truncateBytes: 5 });
      for (const name of ['find', 'list', 'info']) {
        const failed = await problem(ABOUT_ONE[name]?.(own, sandbox), name);
        expect(failed).toMatchObject({ code: 'unavailable', retryable: 'unknown' });
      }
    });

    it('a sandbox that does not answer although it runs', async () => {
      const own = await provider();
      const sandbox = await own.create();
      for (const fault of [{ status: 502 }, { reset: 'before' }] as const) {
        trouble({ route: backend.inside, ...fault });
        const failed = await problem(sandbox.exec('true'));
        expect(failed).toMatchObject({ code: 'unavailable', retryable: 'unknown' });
        expect((await own.get(sandbox.id)).lastInfo.state).toBe('running');
      }
      local.faults.set({});
      await works(sandbox);
    });
  });

  describe('a server that is busy', () => {
    it('says how long to wait', async () => {
      const own = await provider();
      const sandbox = await own.create();
      for (const [status, code] of [
        [503, 'unavailable'],
        [429, 'rate_limited'],
      ] as const) {
        trouble({ status, retryAfterS: 7 });
        for (const name of ['find', 'list', 'info', 'provider.delete']) {
          const failed = await problem(ABOUT_ONE[name]?.(own, sandbox), name);
          expect(failed).toMatchObject({ code, retryable: true, retryAfterMs: 7_000 });
        }
      }
    });

    it('is asked again when it said so', async () => {
      const waits: number[] = [];
      const onRetry = ({ delayMs }: { delayMs: number }): unknown => waits.push(delayMs);
      const own = withRetry(await provider(), { firstDelayMs: 1, onRetry });
      const { id } = await own.create();
      trouble({ status: 503, retryAfterS: 0.2, times: 1 });
      expect((await own.get(id)).id).toBe(id);
      expect(waits).toEqual([200]);
    });

    it('is not asked for ever', async () => {
      const own = withRetry(await provider(), { attempts: 3, firstDelayMs: 1 });
      const sandbox = await own.create();
      await sleep(sandbox);
      trouble({ route: backend.start, status: 503, retryAfterS: 0 });
      expect(await problem(sandbox.start())).toMatchObject({ code: 'unavailable' });
      expect(local.faults.counts()).toMatchObject([{ struck: 3 }]);
      local.faults.set({});
      await sandbox.start();
      await works(sandbox);
    });

    it('and never answers is not waited for longer than allowed', async () => {
      const plain = await provider();
      const own = withDeadline(plain, { timeoutMs: 100 });
      const sandbox = await plain.create();
      await sleep(sandbox);
      trouble({ latencyMs: 10 * MINUTE_MS });
      expect(await problem(own.find(sandbox.id))).toMatchObject({ code: 'timeout' });
      expect(await problem(sandbox.start({ timeoutMs: 100 }))).toMatchObject({ code: 'timeout' });
      local.faults.set({});
      await sandbox.start();
      await works(sandbox);
    });
  });

  describe('calls that get in each other’s way', () => {
    it('delete waits for a state that passes', async () => {
      const own = await provider();
      for (const remove of ['provider.delete', 'sandbox.delete']) {
        const sandbox = await own.create();
        trouble({ route: `DELETE ${backend.one}`, status: 409, times: 1 });
        await ABOUT_ONE[remove]?.(own, sandbox);
        expect(await ids()).toEqual([]);
      }
    });

    it('delete can be stopped while it waits', async () => {
      const own = await provider();
      const { id } = await own.create();
      trouble({ route: `DELETE ${backend.one}`, status: 409 });
      const stop = new AbortController();
      const reason = new Error('enough');
      const removed = own.delete(id, { signal: stop.signal }).catch((error) => error);
      await expect.poll(() => local.faults.counts()[0]?.struck, PATIENT).toBeGreaterThan(0);
      stop.abort(reason);
      expect(await removed).toBe(reason);
    });

    it('one is deleted while it falls asleep, and while it wakes', async () => {
      const own = await provider();
      const sandbox = await own.create();
      const asleep = sleep(sandbox).catch(() => undefined);
      await own.delete(sandbox.id);
      await asleep;
      expect(await own.find(sandbox.id)).toBeUndefined();

      const other = await own.create();
      await sleep(other);
      const awake = other.start().catch(() => undefined);
      await own.delete(other.id);
      await awake;
      expect(await own.find(other.id)).toBeUndefined();
    });

    it('one is deleted, started and put to sleep by several at once', async () => {
      const sandbox = await (await provider()).create();
      const others = await Promise.all([1, 2].map(async () => (await provider()).get(sandbox.id)));
      const all = [sandbox, ...others];
      await Promise.all(all.map(sleep));
      await Promise.all(all.map((one) => one.start()));
      for (const one of all) await works(one);
      await Promise.all(all.map((one) => one.delete()));
      expect(await ids()).toEqual([]);
    });
  });

  describe('time', () => {
    it('of the window asked for at creation is kept by who finds it later', async () => {
      const made = await (await provider()).create({ idleTimeoutMs: WINDOW_MS });
      for (const isAsleep of [false, true]) {
        if (isAsleep) await sleep(await (await provider()).get(made.id));
        const found = await (await provider()).get(made.id);
        await found.start();
        await found.keepAlive();
        expect((await found.info()).idleTimeoutMs).toBe(WINDOW_MS);
        local.advanceClock(WINDOW_MS - MINUTE_MS);
        expect(await stateOf(made)).toBe('running');
      }
      local.advanceClock(WINDOW_MS + MINUTE_MS);
      await fallsAsleep(made);
    });

    it('that is over takes no file, three times', async () => {
      const sandbox = await (await provider()).create({ idleTimeoutMs: WINDOW_MS });
      const sums: string[] = [];
      for (const time of [1, 2, 3]) {
        const bytes = randomBytes(100_000);
        sums.push(createHash('sha256').update(bytes).digest('hex'));
        await sandbox.files.write(`file-${time}`, bytes);
        local.advanceClock(WINDOW_MS + MINUTE_MS);
        await fallsAsleep(sandbox);
        await sandbox.start();
        const { stdout } = await sandbox.exec('sha256sum file-*');
        expect(stdout.match(/^\w{64}/gm)).toEqual(sums);
      }
    });
  });

  describe('a host that is lost', () => {
    it('is told to who has a sandbox of it', async () => {
      const own = await provider();
      const sandbox = await own.create();
      await sandbox.files.write('file', 'kept');
      await local.restart();
      const code = backend.diesWithHost ? 'not_found' : 'conflict';
      const calls = [
        () => sandbox.exec('true'),
        () => sandbox.spawn('true'),
        () => sandbox.files.read('file'),
      ];
      // Connections that the host held open are found broken first.
      for (const call of calls) {
        await expect.poll(() => problem(call()), PATIENT).toMatchObject({ code, retryable: false });
      }
      if (backend.diesWithHost) {
        expect(await problem(sandbox.start())).toMatchObject({ code });
        expect(await own.find(sandbox.id)).toBeUndefined();
      } else {
        await sandbox.start();
        expect(await sandbox.files.read('file', { as: 'text' })).toBe('kept');
      }
    });

    it('leaves no exit code of a command that it ran', async () => {
      const sandbox = await (await provider()).create();
      const handle = await sandbox.spawn('echo begun; sleep 600');
      for await (const { text } of handle) if (text.includes('begun')) break;
      const ended = problem(handle.wait());
      await local.restart();
      expect(['unavailable', 'not_found', 'conflict']).toContain((await ended).code);
      expect(handle.exitCode).toBeUndefined();
    });
  });
});

describe.each(['e2b', 'cube'] as const)('%s', (flavor) => {
  it('takes nothing for missing because a proxy knows no way to the sandbox', async () => {
    const local = await startLocal({ flavor });
    const { url, apiKey, templateId: template } = local.e2b;
    const proxy = await FrontProxy.open(url);
    const own =
      flavor === 'e2b'
        ? new E2BProvider({ apiUrl: url, sandboxUrl: proxy.url, apiKey, template })
        : new CubeProvider({ apiUrl: url, proxyUrl: proxy.url, apiKey, template });
    const sandbox = await own.create();
    const { files } = sandbox;
    await files.write('file', 'text');
    proxy.meet = () => ({ status: 404, type: 'text/plain', body: '404 page not found' });
    const calls: Record<string, () => Promise<unknown>> = {
      exec: () => sandbox.exec('true'),
      read: () => files.read('file'),
      write: () => files.write('other', 'text'),
      exists: () => files.exists('file'),
      list: () => files.list('.'),
    };
    for (const [name, call] of Object.entries(calls)) {
      expect(await problem(call(), name)).toMatchObject({ code: 'unavailable' });
    }
    proxy.meet = () => undefined;
    expect(await files.read('file', { as: 'text' })).toBe('text');
    expect(await problem(files.read('other'))).toMatchObject({ code: 'not_found' });
    await own.delete(sandbox.id);
    await Promise.all([own.close(), proxy.close()]);
    await local.close();
  });
});

describe('CubeSandbox', () => {
  let local: LocalServer;
  let proxy: FrontProxy;
  let provider: SandboxProvider;

  beforeAll(async () => {
    local = await startLocal();
    proxy = await FrontProxy.open(local.e2b.url);
    const { url: proxyUrl, apiKey, templateId: template } = local.e2b;
    provider = new CubeProvider({ apiUrl: proxy.url, proxyUrl, apiKey, template });
    await provider.capabilities();
  });
  afterEach(() => {
    local.faults.set({});
    proxy.meet = () => undefined;
  });
  afterAll(async () => {
    await provider.close();
    await proxy.close();
    await local.close();
  });

  it('that is full may have room later', async () => {
    const full = inJson(500, { code: 500, message: 'CubeMaster: no more resource' });
    proxy.meet = (asked) => (asked === 'POST /sandboxes' ? full : undefined);
    expect(await problem(provider.create())).toMatchObject({ code: 'capacity', retryable: true });
  });

  it('deletes what is still falling asleep, when it is told to come back later', async () => {
    const sandbox = await provider.create();
    await sandbox.pause();
    local.faults.set({
      rules: [{ route: 'DELETE /sandboxes/:id', status: 503, retryAfterS: 0, times: 2 }],
    });
    await sandbox.delete();
    expect(await provider.find(sandbox.id)).toBeUndefined();
  });

  it('keeps no snapshot of a copy that did not come of it', async () => {
    const sandbox = await provider.create();
    local.faults.set({ rules: [{ route: 'POST /sandboxes', status: 500 }] });
    expect(await problem(sandbox.fork())).toMatchObject({ code: 'unavailable' });
    local.faults.set({});
    expect(await provider.snapshots.list()).toEqual([]);
    await sandbox.delete();
  });

  it('gives the copy whose answer was lost', async () => {
    const sandbox = await provider.create();
    await sandbox.files.write('file', 'common');
    local.faults.set({ rules: [{ route: 'POST /sandboxes', reset: 'after', times: 1 }] });
    const copy = await sandbox.fork();
    expect(await copy.files.read('file', { as: 'text' })).toBe('common');
    const ids: string[] = [];
    for await (const { id } of provider.list()) ids.push(id);
    expect(ids.sort()).toEqual([sandbox.id, copy.id].sort());
    await Promise.all([copy.delete(), sandbox.delete()]);
  });
});

describe('Daytona', () => {
  it('tells all of a command whose output breaks off, and how it ended', async () => {
    const local = await startLocal();
    const { url, apiKey } = local.daytona;
    const provider = new DaytonaProvider({ apiUrl: url, apiKey });
    const sandbox = await provider.create();
    const logs = 'GET /toolbox/:id/process/session/:sid/command/:cid/logs';
    for (const fault of [{ reset: 'before' }, { status: 502 }, { reset: 'after' }] as const) {
      local.faults.set({ rules: [{ route: logs, ...fault, times: 2 }] });
      let heard = '';
      const { exitCode, stdout } = await sandbox.exec('echo one; sleep 0.2; echo two; exit 7', {
        onStdout: (text) => {
          heard += text;
        },
      });
      expect([exitCode, stdout, heard]).toEqual([7, 'one\ntwo\n', 'one\ntwo\n']);
    }
    // Out of sight for good, it has no exit code.
    local.faults.set({ rules: [{ route: logs, reset: 'before' }] });
    expect(await problem(sandbox.exec('true', { onStdout: () => undefined }))).toMatchObject({
      code: 'unavailable',
      retryable: 'unknown',
    });
    local.faults.set({});
    await provider.delete(sandbox.id);
    await provider.close();
    await local.close();
  });
});

/** It runs commands. */
async function works(sandbox: Sandbox): Promise<void> {
  expect((await sandbox.exec('echo works')).stdout).toBe('works\n');
}

async function problem(call: Promise<unknown> | undefined, what = 'it'): Promise<SandboxError> {
  const error = await call?.then(
    () => new Error(`${what} went well`),
    (thrown: unknown) => thrown,
  );
  if (!isSandboxError(error)) throw error;
  return error;
}
