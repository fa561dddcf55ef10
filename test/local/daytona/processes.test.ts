import {
  DaytonaCommandAlreadyCompletedError,
  DaytonaConflictError,
  type DaytonaError,
  DaytonaProcessExecutionTimeoutError,
  DaytonaSessionEndedError,
  DaytonaTimeoutError,
  type Sandbox,
} from '@daytonaio/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf, PATIENCE, withServer } from './support.ts';

withServer('processes of a sandbox', (server) => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await server()
      .client()
      .create({ autoStopInterval: 0, envVars: { OF_SANDBOX: 'yes' } });
  }, PATIENCE);

  describe('commands', () => {
    test('give their output in order, their exit code, and see folder and variables', async () => {
      const command = 'echo 1; echo 2 >&2; echo 3; pwd; echo "$OF_SANDBOX $OWN"; exit 7';
      const answer = await sandbox.process.executeCommand(command, '/tmp', { OWN: "it's" });
      expect(answer).toMatchObject({ exitCode: 7, result: "1\n2\n3\n/tmp\nyes it's\n" });
    });

    test('are scripts on standard input: one that reads takes the rest', async () => {
      const { result } = await sandbox.process.executeCommand('cat\necho eaten');
      expect(result).toBe('echo eaten');
    });

    test('that take too long are ended, with what they started', async () => {
      const slow = sandbox.process.executeCommand('sleep 60 & sleep 61', undefined, undefined, 1);
      const error = await failureOf<DaytonaError>(slow);
      expect(error).toBeInstanceOf(DaytonaProcessExecutionTimeoutError);
      expect(error).toMatchObject({ statusCode: 408, code: 'PROCESS_EXECUTION_TIMEOUT' });
      const left = await sandbox.process.executeCommand('pgrep -c sleep');
      expect(left.result).toBe('0\n');
    });

    test('that cannot be run are told apart from those that fail', async () => {
      const nowhere = await sandbox.process.executeCommand('true', '/no/such/folder');
      expect(nowhere.exitCode).toBe(-1);
      expect((await sandbox.process.executeCommand('no-such-program')).exitCode).toBe(127);
      const empty = await failureOf<DaytonaError>(sandbox.process.executeCommand('  '));
      expect(empty).toMatchObject({ statusCode: 400 });
      const bad = sandbox.process.executeCommand('true', undefined, { 'not a name': '' });
      expect(await failureOf(bad)).toMatchObject({ statusCode: 400 });
    });

    test('may say a lot', async () => {
      const { result } = await sandbox.process.executeCommand('seq 200000');
      expect(result.split('\n')).toHaveLength(200_001);
    });

    test('code runs in the language of the sandbox', async () => {
      const { result, exitCode } = await sandbox.process.codeRun(
        'import sys\nprint(sys.argv[1:])\nraise ValueError("no")',
        { argv: ['a', 'b'] },
      );
      expect(result).toContain("['a', 'b']");
      expect(result).toContain('ValueError: no');
      expect(exitCode).toBe(1);
      const typed = await server().client().create({ language: 'typescript' });
      const answer = await typed.process.codeRun('const n: number = 41;\nconsole.log(n + 1);');
      expect(answer.result).toBe('42\n');
      await typed.delete();
    });
  });

  describe('sessions', () => {
    test('keep their state, and tell the streams apart', async () => {
      await sandbox.process.createSession('state');
      const again = await failureOf(sandbox.process.createSession('state'));
      expect(again).toBeInstanceOf(DaytonaConflictError);
      const run = (command: string) => sandbox.process.executeSessionCommand('state', { command });
      await run('cd /tmp; export A=1; b() { echo "b$1"; }');
      const answer = await run('pwd; echo "$A" >&2; b 2; printf open; (exit 3)');
      expect(answer).toMatchObject({ stdout: '/tmp\nb2\nopen\n', stderr: '1\n', exitCode: 3 });
      const logs = await sandbox.process.getSessionCommandLogs('state', answer.cmdId);
      expect(logs).toMatchObject({ stdout: '/tmp\nb2\nopen\n', stderr: '1\n' });
      const { commands } = await sandbox.process.getSession('state');
      expect(commands?.map(({ exitCode }) => exitCode)).toEqual([0, 3]);
      await sandbox.process.deleteSession('state');
      expect(await sandbox.process.listSessions()).toEqual([]);
    });

    test('run commands in the background, whose output is followed and input given', async () => {
      await sandbox.process.createSession('talk');
      const { cmdId } = await sandbox.process.executeSessionCommand('talk', {
        command: 'echo hello; echo careful >&2; read name; echo "you are $name"; exit 4',
        runAsync: true,
        suppressInputEcho: true,
      });
      const out: string[] = [];
      const errors: string[] = [];
      let heard = (): void => undefined;
      const greeted = new Promise<void>((resolve) => {
        heard = resolve;
      });
      const following = sandbox.process.getSessionCommandLogs(
        'talk',
        cmdId,
        (chunk) => {
          out.push(chunk);
          if (out.join('').includes('hello')) heard();
        },
        (chunk) => errors.push(chunk),
      );
      await greeted;
      const running = await sandbox.process.getSessionCommand('talk', cmdId);
      expect(running.exitCode).toBeUndefined();
      await sandbox.process.sendSessionCommandInput('talk', cmdId, 'Ada');
      await following;
      expect(out.join('')).toBe('hello\nyou are Ada\n');
      expect(errors.join('')).toBe('careful\n');
      const ended = await sandbox.process.getSessionCommand('talk', cmdId);
      expect(ended.exitCode).toBe(4);
      // `exit` ended the shell, and with it the session.
      const late = sandbox.process.executeSessionCommand('talk', { command: 'true' });
      expect(await failureOf(late)).toBeInstanceOf(DaytonaSessionEndedError);
      await sandbox.process.deleteSession('talk');
    });

    test('take no input for what has ended', async () => {
      await sandbox.process.createSession('ended');
      const { cmdId } = await sandbox.process.executeSessionCommand('ended', { command: 'true' });
      const input = sandbox.process.sendSessionCommandInput('ended', cmdId, 'x');
      expect(await failureOf(input)).toBeInstanceOf(DaytonaCommandAlreadyCompletedError);
      await sandbox.process.deleteSession('ended');
    });

    test('show all of a long log to who comes late', async () => {
      await sandbox.process.createSession('long');
      const { cmdId } = await sandbox.process.executeSessionCommand('long', {
        command: 'seq 20000',
        runAsync: true,
      });
      const out: string[] = [];
      const ignore = (): void => undefined;
      const follow = () =>
        sandbox.process.getSessionCommandLogs('long', cmdId, (chunk) => out.push(chunk), ignore);
      await follow();
      const lines = out.join('').split('\n');
      expect(lines).toHaveLength(20_001);
      expect(lines.at(-2)).toBe('20000');
      out.length = 0;
      await follow();
      expect(out.join('').split('\n')).toHaveLength(20_001);
      await sandbox.process.deleteSession('long');
    });

    test('end with what they started', async () => {
      await sandbox.process.createSession('server');
      await sandbox.process.executeSessionCommand('server', {
        command: 'sleep 4321',
        runAsync: true,
      });
      const count = async () =>
        (await sandbox.process.executeCommand('pgrep -fc "sleep 432[1]"')).result.trim();
      while ((await count()) !== '1');
      await sandbox.process.deleteSession('server');
      expect(await count()).toBe('0');
    });

    test('the image’s own program has one', async () => {
      const { sessionId, commands } = await sandbox.process.getEntrypointSession();
      expect({ sessionId, command: commands?.[0]?.command }).toEqual({
        sessionId: 'entrypoint',
        command: 'sleep infinity',
      });
      expect((await sandbox.process.getEntrypointLogs()).output).toBe('');
      const reserved = await failureOf<DaytonaError>(sandbox.process.createSession('entrypoint'));
      expect(reserved.statusCode).toBe(400);
    });
  });

  describe('terminals', () => {
    test('are talked to, resized, shared and left', async () => {
      let said = '';
      const pty = await sandbox.process.createPty({
        id: 'main',
        cols: 90,
        rows: 20,
        cwd: '/tmp',
        envs: { MINE: 'secret=1' },
        onData: (data) => {
          said += Buffer.from(data).toString();
        },
      });
      expect(await sandbox.process.getPtySessionInfo('main')).toMatchObject({
        active: true,
        cols: 90,
        rows: 20,
        cwd: '/tmp',
      });
      expect(await pty.resize(100, 30)).toMatchObject({ cols: 100, rows: 30 });
      let other = '';
      const second = await sandbox.process.connectPty('main', {
        onData: (data) => {
          other += Buffer.from(data).toString();
        },
      });
      await second.waitForConnection();
      await pty.sendInput('stty size; pwd; echo "<$MINE>"; exit 5\n');
      expect(await pty.wait()).toMatchObject({ exitCode: 5 });
      expect(said).toMatch(/30 100\r\n\/tmp\r\n<secret=1>/);
      await second.wait();
      expect(other).toContain('<secret=1>');
      expect(await sandbox.process.listPtySessions()).toEqual([]);
    });

    test('are known by ids that are taken once, and can be killed', async () => {
      const pty = await sandbox.process.createPty({ id: 'kill', onData: () => undefined });
      const twice = sandbox.process.createPty({ id: 'kill', onData: () => undefined });
      expect((await failureOf(twice)).message).toContain('already exists');
      await sandbox.process.killPtySession('kill');
      expect(await pty.wait()).toMatchObject({ exitCode: 137 });
      const unknown = await failureOf<DaytonaError>(sandbox.process.getPtySessionInfo('kill'));
      expect(unknown.statusCode).toBe(404);
    });
  });

  describe('the interpreter', () => {
    test('keeps state by context, and returns errors', async () => {
      const { codeInterpreter } = sandbox;
      await codeInterpreter.runCode('x = 1');
      const context = await codeInterpreter.createContext('/tmp');
      expect(await codeInterpreter.listContexts()).toMatchObject([{ id: context.id, cwd: '/tmp' }]);
      const own = await codeInterpreter.runCode('import os\nprint(os.getcwd(), "x" in dir())', {
        context,
      });
      expect(own.stdout).toBe('/tmp False\n');
      const errors: string[] = [];
      const failed = await codeInterpreter.runCode('print(x)\nraise KeyError("k")', {
        onError: ({ name }) => {
          errors.push(name);
        },
      });
      expect(failed.stdout).toBe('1\n');
      expect(failed.error).toMatchObject({ name: 'KeyError', value: "'k'" });
      expect(errors).toEqual(['KeyError']);
      const env = await codeInterpreter.runCode(
        'import os\nprint(os.environ["V"], os.environ["OF_SANDBOX"])',
        {
          envs: { V: 'v' },
        },
      );
      expect(env.stdout).toBe('v yes\n');
      await codeInterpreter.deleteContext(context);
      expect(await codeInterpreter.listContexts()).toEqual([]);
      const gone = codeInterpreter.runCode('1', { context });
      expect((await failureOf(gone)).message).toContain('context not found');
    });

    test('stops what takes too long, and goes on', async () => {
      const { codeInterpreter } = sandbox;
      await codeInterpreter.runCode('kept = 5');
      const slow = codeInterpreter.runCode('import time\ntime.sleep(60)', { timeout: 1 });
      expect(await failureOf(slow)).toBeInstanceOf(DaytonaTimeoutError);
      expect((await codeInterpreter.runCode('print(kept)')).stdout).toBe('5\n');
    });
  });

  test('nothing went wrong on the way', () => {
    expect(server().failures).toEqual([]);
  });
});
