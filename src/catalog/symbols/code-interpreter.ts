import { fields, method, optional, property, quiet } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { adapted, everywhere, split } from '../verdicts.ts';

const INTERPRETER = {
  rule: 'DT407',
  fix: 'review',
  since: '0.120.0',
  verdicts: split(
    adapted('Needs a code-interpreter template.'),
    adapted('Needs a template with the interpreter on port 49999; env given at create is unseen.'),
  ),
} as const;

/** `sandbox.codeInterpreter`: Python with state between calls. */
export const CODE_INTERPRETER: readonly TypeEntry[] = [
  {
    name: 'CodeInterpreter',
    kind: 'class',
    exported: false,
    pyAlso: ['AsyncCodeInterpreter'],
    ...INTERPRETER,
    becomes: 'sandbox.runCode',
    members: {
      runCode: method('(code: string, options?: RunCodeOptions): Promise<ExecutionResult>', {
        becomes: "sandbox.runCode(code, { language: 'python', context, env, timeoutMs })",
      }),
      createContext: method('(cwd?: string): Promise<InterpreterContext>', {
        becomes: 'sandbox.native.createCodeContext({ cwd })',
        fix: 'manual',
      }),
      listContexts: method('(): Promise<InterpreterContext[]>', {
        becomes: 'sandbox.native.listCodeContexts()',
        fix: 'manual',
      }),
      deleteContext: method('(context: InterpreterContext): Promise<void>', {
        becomes: 'sandbox.native.removeCodeContext(context)',
        fix: 'manual',
      }),
    },
  },
  {
    name: 'RunCodeOptions',
    kind: 'interface',
    exported: true,
    py: null,
    ...INTERPRETER,
    becomes: 'RunCodeOptions',
    members: {
      context: quiet('InterpreterContext'),
      envs: quiet('Record<string, string>'),
      timeout: optional('number', {
        becomes: 'timeoutMs',
        verdicts: everywhere(adapted('Seconds become milliseconds; the default is 10 minutes.')),
      }),
      onStdout: quiet('(message: OutputMessage) => any'),
      onStderr: quiet('(message: OutputMessage) => any'),
      onError: quiet('(error: ExecutionError) => any'),
    },
  },
  {
    name: 'ExecutionResult',
    kind: 'interface',
    exported: true,
    ...INTERPRETER,
    becomes: 'RunCodeResult',
    members: {
      stdout: property('string', { becomes: 'stdout' }),
      stderr: property('string', { becomes: 'stderr' }),
      error: optional('ExecutionError', { becomes: 'error' }),
    },
  },
  {
    name: 'ExecutionError',
    kind: 'interface',
    exported: true,
    ...INTERPRETER,
    becomes: 'RunCodeError',
    members: fields('string', 'name', 'value', 'traceback'),
  },
  {
    name: 'OutputMessage',
    kind: 'interface',
    exported: true,
    ...INTERPRETER,
    becomes: 'string',
    members: {
      output: property('string', {
        becomes: 'the argument itself',
        verdicts: everywhere(adapted('The callback gets the text, not an object.')),
      }),
    },
  },
  {
    name: 'InterpreterContext',
    kind: 'interface',
    exported: false,
    client: 'toolbox-api-client',
    ...INTERPRETER,
    becomes: 'Context (of @e2b/code-interpreter)',
    fix: 'manual',
    members: {
      ...fields('string', 'id', 'cwd', 'createdAt', 'language'),
      active: quiet('boolean'),
    },
  },
];
