import { fields, method, optional, property, quiet } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, native, unsupported } from '../verdicts.ts';
import { PTY_METHODS } from './pty.ts';

const SECONDS = 'Timeouts become milliseconds; without one the command stays unlimited.';

const SESSION = {
  rule: 'DT403',
  fix: 'review',
  verdicts: everywhere(
    emulated('Commands of a session do not share a shell: cwd and exported variables are lost.'),
  ),
} as const;

const LOGS = {
  rule: 'DT404',
  fix: 'review',
  verdicts: everywhere(
    emulated('Output comes once, while the command runs: collect it with onStdout and onStderr.'),
  ),
} as const;

const RESULT = { rule: 'DT406', fix: 'automatic' } as const;

const NO_ENTRYPOINT = everywhere(
  unsupported('The start command belongs to the template: let it write a log file and read that.'),
);

const MARKERS = {
  kind: 'const',
  exported: true,
  since: '0.121.0',
  py: null,
  rule: 'DT404',
  becomes: null,
  fix: 'manual',
  verdicts: everywhere(unsupported('Streams arrive separately; there is nothing to split.')),
} as const;

/** `sandbox.process`. Source: SDK declarations 0.9 to 0.218 and the public daemon, 0.190. */
export const PROCESS: readonly TypeEntry[] = [
  {
    name: 'Process',
    kind: 'class',
    exported: true,
    pyAlso: ['AsyncProcess'],
    rule: 'DT401',
    becomes: 'sandbox.exec',
    fix: 'automatic',
    verdicts: everywhere(adapted()),
    members: {
      executeCommand: method(
        '(command: string, cwd?: string, env?: Record<string, string>, timeout?: number): Promise<ExecuteResponse>',
        {
          py: 'exec',
          distinctive: true,
          becomes: 'sandbox.exec(command, { cwd, env, timeoutMs })',
          verdicts: everywhere(adapted(SECONDS)),
        },
      ),
      codeRun: method(
        '(code: string, params?: CodeRunParams, timeout?: number): Promise<ExecuteResponse>',
        {
          rule: 'DT402',
          distinctive: true,
          becomes: 'sandbox.runCode(code, { language, env, timeoutMs })',
          fix: 'review',
          verdicts: everywhere(
            emulated(
              'Runs a file with the interpreter of the template; chart artefacts are not parsed.',
            ),
          ),
        },
      ),
      createSession: method('(sessionId: string): Promise<void>', {
        ...SESSION,
        becomes: null,
        verdicts: everywhere(
          emulated(
            'Nothing to create: each command is a process of its own, without shared shell.',
          ),
        ),
      }),
      getSession: method('(sessionId: string): Promise<Session>', {
        ...SESSION,
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('Keep the handles of spawned commands in your own map.')),
      }),
      listSessions: method('(): Promise<Session[]>', {
        ...SESSION,
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('Keep the handles of spawned commands in your own map.')),
      }),
      deleteSession: method('(sessionId: string): Promise<void>', {
        ...SESSION,
        becomes: 'handle.kill()',
        verdicts: everywhere(emulated('Ends one process, not a group of commands.')),
      }),
      executeSessionCommand: method(
        '(sessionId: string, req: SessionExecuteRequest, timeout?: number): Promise<SessionExecuteResponse>',
        {
          ...SESSION,
          distinctive: true,
          becomes: 'sandbox.spawn(command, { onStdout, onStderr })',
        },
      ),
      getSessionCommand: method('(sessionId: string, commandId: string): Promise<Command>', {
        ...SESSION,
        distinctive: true,
        becomes: 'handle.exitCode',
        verdicts: everywhere(emulated('Known to the process that spawned it, not by id.')),
      }),
      getSessionCommandLogs: method(
        '(sessionId: string, commandId: string, onStdout?: (chunk: string) => void, onStderr?: (chunk: string) => void): Promise<SessionCommandLogsResponse>',
        {
          ...LOGS,
          distinctive: true,
          py: 'get_session_command_logs',
          becomes: 'sandbox.spawn(command, { onStdout, onStderr })',
        },
      ),
      sendSessionCommandInput: method(
        '(sessionId: string, commandId: string, data: string): Promise<void>',
        {
          ...SESSION,
          since: '0.138.0',
          distinctive: true,
          becomes: 'handle.sendInput(data)',
          verdicts: everywhere(adapted('The command must be spawned with stdin open.')),
        },
      ),
      getEntrypointSession: method('(): Promise<Session>', {
        since: '0.153.0',
        rule: 'DT403',
        distinctive: true,
        becomes: null,
        fix: 'manual',
        verdicts: NO_ENTRYPOINT,
      }),
      getEntrypointLogs: method(
        '(onStdout?: (chunk: string) => void, onStderr?: (chunk: string) => void): Promise<SessionCommandLogsResponse>',
        {
          since: '0.153.0',
          rule: 'DT404',
          distinctive: true,
          becomes: null,
          fix: 'manual',
          verdicts: NO_ENTRYPOINT,
        },
      ),
      ...PTY_METHODS,
    },
  },
  {
    name: 'ExecuteResponse',
    kind: 'interface',
    exported: false,
    ...RESULT,
    becomes: 'ExecResult',
    verdicts: everywhere(adapted('stdout and stderr are separate; output has both in order.')),
    members: {
      exitCode: property('number', {
        since: '0.12.0',
        becomes: 'exitCode',
        verdicts: everywhere(native()),
      }),
      result: property('string', {
        becomes: 'output',
        verdicts: everywhere(adapted('Both streams; the order between them is approximate.')),
      }),
      artifacts: optional('ExecutionArtifacts', {
        since: '0.12.0',
        becomes: null,
        fix: 'review',
        verdicts: everywhere(emulated('Only its stdout has a counterpart; charts are not parsed.')),
      }),
      code: optional('number', { until: '0.12.0', replacedBy: 'ExecuteResponse.exitCode' }),
    },
  },
  {
    name: 'ExecutionArtifacts',
    kind: 'interface',
    exported: false,
    since: '0.12.0',
    ...RESULT,
    becomes: null,
    fix: 'review',
    verdicts: everywhere(emulated('Only stdout has a counterpart; charts are not parsed.')),
    members: {
      stdout: property('string', {
        becomes: 'output',
        verdicts: everywhere(adapted('Daytona puts both streams here; output has them too.')),
      }),
      charts: optional('Chart[]', {
        rule: 'DT709',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(
          unsupported('Let the code save an image file and read it, or use the code interpreter.'),
        ),
      }),
    },
  },
  {
    name: 'CodeRunParams',
    kind: 'class',
    exported: true,
    rule: 'DT402',
    becomes: '{ env, args }',
    fix: 'review',
    verdicts: everywhere(adapted()),
    since: '0.12.0',
    members: {
      argv: optional('string[]', { becomes: 'args' }),
      env: optional('Record<string, string>', { becomes: 'env' }),
    },
  },
  {
    name: 'Session',
    kind: 'interface',
    exported: false,
    client: 'toolbox-api-client',
    ...SESSION,
    becomes: null,
    fix: 'manual',
    members: {
      sessionId: optional('string'),
      commands: property('Command[]', {
        verdicts: everywhere(unsupported('Keep the handles of spawned commands in your own map.')),
      }),
    },
  },
  {
    name: 'Command',
    kind: 'interface',
    exported: false,
    client: 'toolbox-api-client',
    ...SESSION,
    becomes: 'handle',
    members: {
      exitCode: optional('number', {
        becomes: 'handle.exitCode',
        verdicts: everywhere(emulated('Known to the process that spawned it, not by id.')),
      }),
      ...fields('string', 'id', 'command'),
    },
  },
  {
    name: 'SessionExecuteRequest',
    kind: 'interface',
    exported: false,
    client: 'toolbox-api-client',
    ...SESSION,
    becomes: 'sandbox.spawn(command, { … })',
    members: {
      command: quiet('string'),
      runAsync: optional('boolean', {
        since: '0.15.0',
        becomes: 'spawn when true, exec otherwise',
      }),
      async: optional('boolean', {
        replacedBy: 'SessionExecuteRequest.runAsync',
        py: 'var_async',
      }),
      suppressInputEcho: quiet('boolean', { since: '0.144.0' }),
    },
  },
  {
    name: 'SessionExecuteResponse',
    kind: 'interface',
    exported: true,
    ...SESSION,
    becomes: 'handle, or ExecResult',
    members: {
      cmdId: property('string', {
        becomes: 'handle.id',
        verdicts: everywhere(emulated('The id is a process id and means nothing after it ends.')),
      }),
      exitCode: optional('number', { ...RESULT, becomes: 'exitCode' }),
      output: optional('string', { ...RESULT, becomes: 'output' }),
      stdout: optional('string', { ...RESULT, since: '0.27.0', becomes: 'stdout' }),
      stderr: optional('string', { ...RESULT, since: '0.27.0', becomes: 'stderr' }),
    },
  },
  {
    name: 'SessionCommandLogsResponse',
    kind: 'interface',
    exported: true,
    since: '0.27.0',
    ...LOGS,
    becomes: '{ stdout, stderr }',
    members: {
      output: optional('string', { becomes: 'output' }),
      stdout: optional('string', { becomes: 'stdout' }),
      stderr: optional('string', { becomes: 'stderr' }),
    },
  },
  { name: 'STDOUT_PREFIX_BYTES', ...MARKERS, type: 'Uint8Array' },
  { name: 'STDERR_PREFIX_BYTES', ...MARKERS, type: 'Uint8Array' },
  { name: 'MAX_PREFIX_LEN', ...MARKERS, type: 'number' },
];
