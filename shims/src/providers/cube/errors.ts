import type { Retryable, SandboxError, SandboxErrorCode } from '../../provider/errors.ts';
import { SandboxError as Failure } from '../../provider/errors.ts';
import type { RestAnswer } from '../http/rest.ts';
import { retryAfterMs } from '../http/status.ts';

/**
 * Numbers of CubeMaster that the API hides in the text of a 500. Source: CubeAPI, cubemaster/mod.rs,
 * August 2026.
 */
const NUMBERS: Readonly<Record<string, readonly [SandboxErrorCode, Retryable]>> = {
  '130400': ['invalid_argument', false],
  '130404': ['not_found', false],
  '130408': ['unavailable', true],
  '130409': ['conflict', true],
  '130490': ['unavailable', true],
  '130589': ['unavailable', true],
  '130597': ['capacity', true],
};

/** The error for an answer that says more than its status; `undefined` for others. */
export function failureOf(
  { body, headers }: RestAnswer,
  provider: string,
  what: string,
): SandboxError | undefined {
  const said =
    typeof body === 'object' && body !== null && 'message' in body ? `${body.message}` : '';
  const number = /\b(130\d{3})\b/.exec(said)?.[1];
  const meaning = /no more resource/i.test(said)
    ? NUMBERS['130597']
    : number === undefined
      ? undefined
      : NUMBERS[number];
  if (meaning === undefined) return undefined;
  const [code, retryable] = meaning;
  return new Failure(code, `${what}: ${said}`, {
    provider,
    retryable,
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  });
}
