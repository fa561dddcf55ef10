import type { TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere } from '../verdicts.ts';

const SECONDS = 'Timeouts become milliseconds; without one the command stays unlimited.';

/** `sandbox.process`, one-shot commands. Source: SDK declarations 0.218.0 and the public daemon, 0.190. */
export const PROCESS: readonly TypeEntry[] = [
  {
    name: 'Process',
    kind: 'class',
    exported: true,
    rule: 'DT401',
    becomes: 'sandbox.exec',
    fix: 'automatic',
    verdicts: everywhere(adapted()),
    members: {
      executeCommand: {
        kind: 'method',
        type: '(command: string, cwd?: string, env?: Record<string, string>, timeout?: number): Promise<ExecuteResponse>',
        py: 'exec',
        becomes: 'sandbox.exec(command, { cwd, env, timeoutMs })',
        verdicts: everywhere(adapted(SECONDS)),
      },
      codeRun: {
        kind: 'method',
        type: '(code: string, params?: CodeRunParams, timeout?: number): Promise<ExecuteResponse>',
        rule: 'DT402',
        becomes: 'sandbox.runCode(code, { language, env, timeoutMs })',
        fix: 'review',
        verdicts: everywhere(
          emulated(
            'Runs a file with the interpreter of the template; chart artefacts are not parsed.',
          ),
        ),
      },
    },
  },
];
