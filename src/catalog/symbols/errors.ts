import { optional, property } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { adapted, everywhere, unsupported } from '../verdicts.ts';

/** Error class: its parent, the neutral code it becomes, the first release, what to know. */
type Row = readonly [name: string, parent: string, code: string, since: string, note?: string];

const GIT = 'Git failures are non-zero exits: read stderr.';
const NO_SUCH = 'Never thrown by the targets; the branch can go.';

const CLASSES: readonly Row[] = [
  ['BadRequest', '', 'invalid_argument', '0.201.0'],
  ['Validation', 'BadRequest', 'invalid_argument', '0.163.0'],
  ['InvalidArgument', 'Validation', 'invalid_argument', '0.203.0'],
  ['Authentication', '', 'unauthorized', '0.163.0'],
  ['Forbidden', '', 'forbidden', '0.201.0'],
  ['Authorization', 'Forbidden', 'forbidden', '0.163.0'],
  ['NotFound', '', 'not_found', '0.113.0'],
  ['Timeout', '', 'timeout', '0.120.0'],
  ['Conflict', '', 'conflict', '0.163.0'],
  ['Gone', '', 'not_found', '0.201.0'],
  ['UnprocessableEntity', '', 'invalid_argument', '0.201.0'],
  ['RateLimit', '', 'rate_limited', '0.117.0'],
  ['InternalServer', '', 'unavailable', '0.201.0'],
  ['BadGateway', '', 'unavailable', '0.201.0'],
  ['ServiceUnavailable', '', 'unavailable', '0.201.0'],
  ['Connection', '', 'unavailable', '0.163.0'],
  ['ConnectionTimeout', 'Connection', 'timeout', '0.201.0'],
  ['GitAuthFailed', 'Authentication', 'unauthorized', '0.201.0', GIT],
  ['GitRepoNotFound', 'NotFound', 'not_found', '0.201.0', GIT],
  ['GitBranchNotFound', 'NotFound', 'not_found', '0.201.0', GIT],
  ['GitBranchExists', 'Conflict', 'conflict', '0.201.0', GIT],
  ['GitPushRejected', 'Conflict', 'conflict', '0.201.0', GIT],
  ['GitDirtyWorktree', 'Conflict', 'conflict', '0.201.0', GIT],
  ['GitMergeConflict', 'Conflict', 'conflict', '0.201.0', GIT],
  ['GitTransportFailed', 'BadGateway', 'unavailable', '0.204.0', GIT],
  ['GitRemoteRejected', 'UnprocessableEntity', 'invalid_argument', '0.204.0', GIT],
  ['FileNotFound', 'NotFound', 'not_found', '0.201.0'],
  ['FileAccessDenied', 'Forbidden', 'forbidden', '0.201.0'],
  ['InvalidFilePath', 'BadRequest', 'invalid_argument', '0.203.0'],
  ['FileReadFailed', 'InternalServer', 'unavailable', '0.203.0'],
  ['LspServerNotInitialized', 'BadRequest', '', '0.201.0', NO_SUCH],
  ['ProcessExecutionTimeout', 'Timeout', 'timeout', '0.201.0'],
  ['ProcessNotFound', 'NotFound', 'not_found', '0.201.0'],
  ['SessionEnded', 'Gone', '', '0.201.0', NO_SUCH],
  ['CommandAlreadyCompleted', 'Gone', '', '0.201.0', NO_SUCH],
  ['A11yUnavailable', 'ServiceUnavailable', '', '0.201.0', NO_SUCH],
  ['RecordingStillActive', 'Conflict', '', '0.201.0', NO_SUCH],
  ['RecordingFfmpegNotFound', 'ServiceUnavailable', '', '0.201.0', NO_SUCH],
];

const errorClass = ([short, parent, code, since, note]: Row): TypeEntry => ({
  name: `Daytona${short}Error`,
  kind: 'class',
  exported: true,
  heritage: `extends Daytona${parent}Error`,
  since,
  ...(short === 'InvalidArgument' ? { py: null } : {}),
  rule: 'DT803',
  becomes: code === '' ? null : `isSandboxError(e) && e.code === '${code}'`,
  fix: note === undefined ? 'automatic' : 'review',
  verdicts: everywhere(adapted(note)),
});

const SOURCE = {
  kind: 'const',
  exported: true,
  since: '0.201.0',
  py: null,
  rule: 'DT803',
  becomes: null,
  fix: 'manual',
  verdicts: everywhere(unsupported('Neutral errors do not say which server answered.')),
} as const;

/** Error classes. Errors of the targets are turned into one class with a code. */
export const ERRORS: readonly TypeEntry[] = [
  {
    name: 'DaytonaError',
    kind: 'class',
    exported: true,
    heritage: 'extends Error',
    construct:
      'message: string, statusCode?: number, headers?: any, code?: string, source?: string',
    since: '0.12.0',
    rule: 'DT803',
    becomes: 'isSandboxError(e)',
    fix: 'automatic',
    verdicts: everywhere(adapted('One class with a code, whatever the backend.')),
    members: {
      statusCode: optional('number', {
        since: '0.120.0',
        rule: 'DT805',
        becomes: 'e.code',
        fix: 'review',
        verdicts: everywhere(adapted('Codes are words: 404 is not_found, 429 rate_limited.')),
      }),
      code: optional('string', {
        since: '0.201.0',
        rule: 'DT805',
        becomes: 'e.code',
        fix: 'review',
        verdicts: everywhere(adapted('Other words than the codes of Daytona.')),
      }),
      errorCode: optional('string', {
        since: '0.163.0',
        replacedBy: 'DaytonaError.code',
      }),
      source: optional('string', {
        since: '0.201.0',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('Neutral errors do not say which server answered.')),
      }),
      headers: optional('any', {
        since: '0.120.0',
        becomes: 'e.cause',
        fix: 'manual',
        verdicts: everywhere(adapted('The error of the backend is the cause.')),
      }),
      message: property('string', {
        quiet: true,
        rule: 'DT804',
        becomes: 'e.code',
        fix: 'review',
        verdicts: everywhere(adapted('Other words: match on the code.')),
      }),
    },
  },
  ...CLASSES.map(errorClass),
  { name: 'SOURCE_API', ...SOURCE, type: 'string' },
  { name: 'SOURCE_DAEMON', ...SOURCE, type: 'string' },
  { name: 'SOURCE_PROXY', ...SOURCE, type: 'string' },
];
