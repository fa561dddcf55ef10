import { fields, method, optional, property, quiet } from '../define.ts';
import type { MemberEntry, TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, native, unsupported } from '../verdicts.ts';

const PTY = { rule: 'DT405', fix: 'review', since: '0.107.0' } as const;

const BY_NAME = everywhere(
  emulated('The name is kept by the provider object; other processes cannot attach by it.'),
);

/** The members of `Process` that deal with terminals. */
export const PTY_METHODS: Record<string, MemberEntry> = {
  createPty: method('(options?: PtyCreateOptions & PtyConnectOptions): Promise<PtyHandle>', {
    ...PTY,
    py: 'create_pty_session',
    distinctive: true,
    becomes: 'sandbox.pty.create({ cols, rows, cwd, env, onData })',
    verdicts: BY_NAME,
  }),
  connectPty: method('(sessionId: string, options?: PtyConnectOptions): Promise<PtyHandle>', {
    ...PTY,
    py: 'connect_pty_session',
    distinctive: true,
    becomes: 'sandbox.pty.connect(id, { onData })',
    verdicts: BY_NAME,
  }),
  listPtySessions: method('(): Promise<PtySessionInfo[]>', {
    ...PTY,
    distinctive: true,
    becomes: null,
    fix: 'manual',
    verdicts: everywhere(unsupported('Keep the handles of open terminals in your own map.')),
  }),
  getPtySessionInfo: method('(sessionId: string): Promise<PtySessionInfo>', {
    ...PTY,
    distinctive: true,
    becomes: null,
    fix: 'manual',
    verdicts: everywhere(unsupported('Keep the handles of open terminals in your own map.')),
  }),
  killPtySession: method('(sessionId: string): Promise<void>', {
    ...PTY,
    distinctive: true,
    becomes: 'handle.kill()',
    verdicts: BY_NAME,
  }),
  resizePtySession: method(
    '(sessionId: string, cols: number, rows: number): Promise<PtySessionInfo>',
    { ...PTY, distinctive: true, becomes: 'handle.resize({ cols, rows })', verdicts: BY_NAME },
  ),
};

/** Pseudo-terminals. */
export const PTY_TYPES: readonly TypeEntry[] = [
  {
    name: 'PtyHandle',
    kind: 'class',
    exported: true,
    pyAlso: ['AsyncPtyHandle'],
    ...PTY,
    becomes: 'PtyHandle',
    fix: 'automatic',
    verdicts: everywhere(adapted()),
    members: {
      sessionId: quiet('string'),
      exitCode: optional('number', { becomes: 'handle.exitCode' }),
      error: optional('string', {
        becomes: null,
        fix: 'review',
        verdicts: everywhere(adapted('wait() throws a SandboxError instead.')),
      }),
      isConnected: method('(): boolean', {
        becomes: null,
        fix: 'review',
        verdicts: everywhere(adapted('Goes away: a handle is connected until wait() settles.')),
      }),
      waitForConnection: method('(): Promise<void>', {
        becomes: null,
        verdicts: everywhere(adapted('Goes away: create and connect answer when connected.')),
      }),
      sendInput: method('(data: string | Uint8Array): Promise<void>', {
        becomes: 'handle.sendInput(data)',
        verdicts: everywhere(native()),
      }),
      resize: method('(cols: number, rows: number): Promise<PtySessionInfo>', {
        becomes: 'handle.resize({ cols, rows })',
        verdicts: everywhere(adapted('Answers nothing.')),
      }),
      disconnect: method('(): Promise<void>', {
        becomes: 'handle.disconnect()',
        verdicts: everywhere(native()),
      }),
      wait: method('(): Promise<PtyResult>', {
        becomes: 'handle.wait()',
        verdicts: everywhere(adapted('Throws when the terminal ends by an error.')),
      }),
      kill: method('(): Promise<void>', {
        becomes: 'handle.kill()',
        verdicts: everywhere(native()),
      }),
    },
  },
  {
    name: 'PtyCreateOptions',
    kind: 'interface',
    exported: true,
    ...PTY,
    py: null,
    becomes: 'PtyOptions',
    fix: 'automatic',
    verdicts: everywhere(adapted('envs becomes env.')),
    members: {
      id: property('string', { quiet: true }),
      ...fields('number', 'cols', 'rows'),
      cwd: quiet('string'),
      envs: quiet('Record<string, string>'),
    },
  },
  {
    name: 'PtyConnectOptions',
    kind: 'interface',
    exported: true,
    ...PTY,
    py: null,
    becomes: 'PtyOptions',
    fix: 'automatic',
    verdicts: everywhere(native()),
    members: { onData: property('(data: Uint8Array) => any', { quiet: true }) },
  },
  {
    name: 'PtyResult',
    kind: 'interface',
    exported: true,
    ...PTY,
    becomes: '{ exitCode }',
    fix: 'automatic',
    verdicts: everywhere(adapted('An error is thrown instead of returned.')),
    members: { exitCode: quiet('number'), error: quiet('string') },
  },
  {
    name: 'PtySessionInfo',
    kind: 'interface',
    exported: false,
    client: 'toolbox-api-client',
    ...PTY,
    becomes: null,
    fix: 'manual',
    verdicts: everywhere(unsupported('Keep the handles of open terminals in your own map.')),
    members: {
      ...fields('string', 'id', 'cwd', 'createdAt'),
      ...fields('number', 'cols', 'rows'),
      ...fields('boolean', 'active', 'lazyStart'),
      envs: quiet('Record<string, string>'),
    },
  },
];
