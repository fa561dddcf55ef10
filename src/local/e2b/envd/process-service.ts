import type { Fields } from '../body.ts';
import type { Channel } from './channel.ts';
import { RpcError } from './connect-codec.ts';
import type { SandboxHandler } from './handler.ts';
import type { ProcessResponse, RunningProcess, StartOptions } from './processes.ts';
import { clientStream, type RpcCall, serverStream, unary } from './rpc.ts';

/** `process.Process` of envd (proto in `e2b-dev/E2B` spec/envd/process). */
export const PROCESS_ROUTES: Readonly<Record<string, SandboxHandler>> = {
  'POST /process.Process/Start': serverStream(start, { event: { keepalive: {} } }),
  'POST /process.Process/Connect': serverStream(connect, { event: { keepalive: {} } }),
  'POST /process.Process/List': unary(async ({ sandbox }) => ({
    processes: sandbox.processes.list().map(({ config, pid, tag }) => ({
      config,
      pid,
      ...(tag === undefined ? {} : { tag }),
    })),
  })),
  'POST /process.Process/Update': unary(async ({ sandbox }, message) => {
    const running = sandbox.processes.get(message.object('process'));
    const size = sizeOf(message.object('pty'));
    if (size === undefined) return {};
    if (!running.isPty) {
      throw new RpcError('internal', 'error resizing tty: tty not assigned to process');
    }
    await running.process.resize(size);
    return {};
  }),
  'POST /process.Process/SendInput': unary(async ({ sandbox }, message) => {
    const running = sandbox.processes.get(message.object('process'));
    await give(running, message.object('input'));
    return {};
  }),
  'POST /process.Process/StreamInput': clientStream(streamInput),
  'POST /process.Process/SendSignal': unary(async ({ sandbox }, message) => {
    const running = sandbox.processes.get(message.object('process'));
    await sandbox.processes.signal(running, signalOf(message));
    return {};
  }),
  'POST /process.Process/CloseStdin': unary(async ({ sandbox }, message) => {
    const running = sandbox.processes.get(message.object('process'));
    if (running.isPty) {
      throw new RpcError(
        'unknown',
        'error closing stdin: cannot close stdin for PTY process — send Ctrl+D (0x04) instead',
      );
    }
    await running.process.closeStdin();
    return {};
  }),
};

async function start(call: RpcCall, message: Fields, channel: Channel<object>): Promise<void> {
  const { sandbox, services, timeoutMs } = call;
  const events = channel as Channel<ProcessResponse>;
  const running = await sandbox.processes.start(startOptions(call, message), events);
  if (timeoutMs === undefined) return;
  // Not the client's going away but its deadline ends a process.
  const cancel = services.clock.setTimer(timeoutMs, () => {
    sandbox.processes.signal(running, 'SIGKILL').catch(services.onError);
  });
  void running.process.exit.then(cancel);
}

async function connect(
  { sandbox }: RpcCall,
  message: Fields,
  channel: Channel<object>,
): Promise<void> {
  const selector = message.object('process');
  const ended = sandbox.processes.ended(selector);
  const events = channel as Channel<ProcessResponse>;
  if (ended !== undefined) {
    void events.push({ event: { start: { pid: ended.pid } } });
    void events.push({ event: { end: ended.end } });
    events.close();
    return;
  }
  const running = sandbox.processes.get(selector);
  sandbox.processes.listen(running, events);
}

function startOptions({ user }: RpcCall, message: Fields): StartOptions {
  const process = message.object('process');
  const cmd = process?.optionalString('cmd') ?? '';
  if (process === undefined || cmd === '') {
    throw new RpcError('invalid_argument', "error starting process '': no command");
  }
  const cwd = process.optionalString('cwd');
  const tag = message.optionalString('tag');
  const pty = sizeOf(message.object('pty'));
  return {
    config: {
      cmd,
      args: process.strings('args') ?? [],
      envs: process.map('envs') ?? {},
      ...(cwd === undefined || cwd === '' ? {} : { cwd }),
    },
    user,
    // Clients before 0.3.0 do not say it and rely on it.
    hasStdin: message.boolean('stdin') ?? true,
    ...(pty === undefined ? {} : { pty }),
    ...(tag === undefined ? {} : { tag }),
  };
}

function sizeOf(pty: Fields | undefined): { cols: number; rows: number } | undefined {
  if (pty === undefined) return undefined;
  const size = pty.object('size');
  return { cols: size?.optionalInteger('cols') ?? 80, rows: size?.optionalInteger('rows') ?? 24 };
}

function signalOf(message: Fields): 'SIGKILL' | 'SIGTERM' {
  const signal = message.raw.signal;
  if (signal === 'SIGNAL_SIGKILL' || signal === 9) return 'SIGKILL';
  if (signal === 'SIGNAL_SIGTERM' || signal === 15) return 'SIGTERM';
  throw new RpcError('unimplemented', `invalid signal: ${signal ?? 'SIGNAL_UNSPECIFIED'}`);
}

async function give(running: RunningProcess, input: Fields | undefined): Promise<void> {
  const pty = input?.optionalString('pty');
  const stdin = input?.optionalString('stdin');
  const data = pty ?? stdin;
  if (data === undefined) throw new RpcError('unimplemented', 'invalid input type');
  if (pty !== undefined && !running.isPty) {
    throw new RpcError('internal', 'error writing to tty: tty not assigned to process');
  }
  if (pty === undefined && running.isPty) {
    throw new RpcError(
      'internal',
      'error writing to stdin: tty assigned to process — input should be written to the pty, not the stdin',
    );
  }
  try {
    await running.process.write(Buffer.from(data, 'base64'));
  } catch {
    throw new RpcError('internal', 'error writing to stdin: stdin not enabled or closed');
  }
}

async function streamInput({ sandbox }: RpcCall, messages: AsyncIterable<Fields>): Promise<object> {
  let running: RunningProcess | undefined;
  for await (const message of messages) {
    const start = message.object('start');
    if (start !== undefined) {
      running = sandbox.processes.get(start.object('process'));
      continue;
    }
    const data = message.object('data');
    if (data === undefined) continue;
    if (running === undefined) {
      throw new RpcError('invalid_argument', 'input before the process was chosen');
    }
    await give(running, data.object('input'));
  }
  return {};
}
