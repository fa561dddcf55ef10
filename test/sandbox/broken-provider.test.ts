import {
  type Capabilities,
  type CreateSpec,
  type ExecOptions,
  type Sandbox,
  SandboxError,
} from '@cubeshift/sandbox';
import { conformance } from '@cubeshift/sandbox/conformance';
import { describe, expect, it } from 'vitest';
import { HostProvider } from '../../examples/provider/host-provider.ts';

/** A provider with one fault in its sandboxes. */
class Broken extends HostProvider {
  readonly #spoil: (sandbox: Sandbox) => void;

  constructor(spoil: (sandbox: Sandbox) => void) {
    super();
    this.#spoil = spoil;
  }

  protected override async createSandbox(spec: CreateSpec) {
    const sandbox = await super.createSandbox(spec);
    this.#spoil(sandbox);
    return sandbox;
  }
}

/** Runs some cases, and gives what is wrong by the names of those that fail. */
async function failures(
  provider: HostProvider,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const options = { paceMs: 600, settleTimeoutMs: 2_500, caseTimeoutMs: 8_000 };
  const { cases, close } = conformance({ provider: () => provider, ...options });
  const failed = new Map<string, string>();
  for (const name of names) {
    const found = cases.find((one) => one.name === name);
    if (found === undefined) throw new Error(`There is no case "${name}"`);
    await found.run().catch((error: Error) => failed.set(name, error.message));
  }
  await close();
  for await (const left of provider.list()) throw new Error(`${left.id} is left`);
  return failed;
}

const withCapabilities = (wrong: Partial<Capabilities>): HostProvider => {
  const provider = new HostProvider();
  const right = provider.capabilities;
  return Object.assign(provider, { capabilities: async () => ({ ...(await right()), ...wrong }) });
};

/** Faults that adapters are known for, with the cases that have to see each. */
const FAULTS: readonly {
  fault: string;
  provider: () => HostProvider;
  fails: Readonly<Record<string, RegExp>>;
  passes: readonly string[];
}[] = [
  {
    fault: 'exec that throws for a command that fails',
    provider: () =>
      new Broken((sandbox) => {
        const exec = sandbox.exec.bind(sandbox);
        sandbox.exec = async (command, options) => {
          const result = await exec(command, options);
          if (result.exitCode !== 0) throw new SandboxError('conflict', 'It failed');
          return result;
        };
      }),
    fails: { 'exec: a command that fails is no error': /It failed/ },
    passes: ['exec: variables'],
  },
  {
    fault: 'errors lost on the way',
    provider: () =>
      new Broken((sandbox) => {
        const exec = sandbox.exec.bind(sandbox);
        sandbox.exec = async (command, options) => ({
          ...(await exec(command, options)),
          stderr: '',
        });
      }),
    fails: { 'exec: output and errors': /Expected/ },
    passes: ['exec: text of the shell is left as it is'],
  },
  {
    fault: 'a time limit that is forgotten',
    provider: () =>
      new Broken((sandbox) => {
        const exec = sandbox.exec.bind(sandbox);
        sandbox.exec = (command, { timeoutMs: _, ...options }: ExecOptions = {}) =>
          exec(command, options);
      }),
    fails: { 'exec: its time is over': /took longer than 8000 ms/ },
    passes: ['exec: time that is enough'],
  },
  {
    fault: 'kill that reaches the shell alone',
    provider: () =>
      new Broken((sandbox) => {
        const spawn = sandbox.spawn.bind(sandbox);
        sandbox.spawn = async (command, options) => {
          const handle = await spawn(command, options);
          handle.kill = async () => {
            if (handle.exitCode !== undefined) return false;
            return process.kill(Number(handle.id), 'SIGKILL');
          };
          return handle;
        };
      }),
    fails: { 'spawn: killed with all that it started': /signal|aborted|timeout|still not/i },
    passes: ['spawn: output comes while it runs'],
  },
  {
    fault: 'output that comes at the end',
    provider: () =>
      new Broken((sandbox) => {
        const spawn = sandbox.spawn.bind(sandbox);
        sandbox.spawn = async (command, options) => {
          const handle = await spawn(command, { ...options, onStdout: undefined });
          await handle.wait();
          options?.onStdout?.((await handle.wait()).stdout);
          return handle;
        };
      }),
    fails: { 'spawn: output comes while it runs': /still not: the first line|Expected/ },
    passes: [],
  },
  {
    fault: 'find that swallows what is wrong',
    provider: () => {
      const provider = new HostProvider();
      const find = provider.find.bind(provider);
      provider.find = (id) => find(id).catch(() => undefined);
      return provider;
    },
    fails: { 'find: one of another provider': /invalid_argument/ },
    passes: ['find: one that exists', 'find: one that never was'],
  },
  {
    fault: 'a token that is not looked at',
    provider: () => {
      const provider = new HostProvider();
      const create = provider.create.bind(provider);
      provider.create = ({ token: _, ...options } = {}, call) => create(options, call);
      return provider;
    },
    fails: { 'create: twice with one token': /strictly equal/ },
    passes: ['create: variables of every process'],
  },
  {
    fault: 'move that replaces what is there',
    provider: () =>
      new Broken(({ files }) => {
        const move = files.move.bind(files);
        files.move = (from, to, options) => move(from, to, { ...options, overwrite: true });
      }),
    fails: { 'files: move': /conflict/ },
    passes: ['files: remove'],
  },
  {
    fault: 'paths in double quotes',
    provider: () =>
      new Broken((sandbox) => {
        const { files } = sandbox;
        const read = async (path: string) => (await sandbox.exec(`cat "${path}"`)).stdout;
        Object.assign(files, { read });
      }),
    fails: {
      'files: any name': /Expected|strictly equal/,
      'files: what does not exist': /not_found/,
    },
    passes: ['files: list, by depth and sorted'],
  },
  {
    fault: 'errors of no kind',
    provider: () =>
      new Broken(({ files }) => {
        files.stat = async () => {
          throw new Error('HTTP 404');
        };
      }),
    fails: { 'files: what does not exist': /SandboxError.*HTTP 404/ },
    passes: ['files: text'],
  },
  {
    fault: 'delete that only says so',
    provider: () =>
      new Broken((sandbox) => {
        const remove = sandbox.delete.bind(sandbox);
        let calls = 0;
        sandbox.delete = async () => {
          calls += 1;
          // In the end it has to go, for the sake of this host.
          if (calls > 4) await remove();
        };
      }),
    fails: { 'delete: it is gone': /Expected|strictly equal/ },
    passes: [],
  },
  {
    fault: 'a capability that is not there',
    provider: () => withCapabilities({ pause: { support: 'native' } }),
    fails: { 'pause: disk and memory stay, three times': /does not support pause/ },
    passes: ['stop: the disk stays, processes end'],
  },
  {
    fault: 'a capability that is there, but denied',
    provider: () => withCapabilities({ stdin: { support: 'unsupported' } }),
    fails: { 'exec: input': /unsupported, but gave object/ },
    passes: [],
  },
  {
    fault: 'a refusal that helps nobody',
    provider: () =>
      new Broken((sandbox) => {
        sandbox.pause = () => Promise.reject(new SandboxError('unsupported', 'No pause'));
      }),
    fails: { 'pause: disk and memory stay, three times': /does not say what to do instead/ },
    passes: ['archive: the disk stays'],
  },
];

describe.concurrent('the kit sees', () => {
  it.for(FAULTS)('$fault', async ({ provider, fails, passes }) => {
    const expected = Object.entries(fails);
    const failed = await failures(provider(), [...passes, ...expected.map(([name]) => name)]);
    expect([...failed.keys()]).toEqual(expected.map(([name]) => name));
    for (const [name, what] of expected) expect(failed.get(name)).toMatch(what);
  });
});
