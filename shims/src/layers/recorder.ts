import { sha256 } from '../provider/crypto.ts';
import { isSandboxError, type Retryable } from '../provider/errors.ts';
import { ProcessHandle } from '../provider/process.ts';
import type { SandboxProvider } from '../provider/provider.ts';
import { Sandbox } from '../provider/sandbox.ts';
import { withLayer } from './layer.ts';
import type { OperationName } from './operations.ts';

/** One call, in a form that does not depend on the backend but in its times. */
export interface RecordedCall {
  /** Counted from 1, in the order in which calls were made. */
  readonly number: number;
  readonly operation: OperationName;
  readonly provider: string;
  /** Sandboxes are counted as they come, from 1: their ids differ. */
  readonly sandbox?: number;
  readonly startedAt: string;
  readonly durationMs: number;
  /**
   * Redacted: no values of variables, no passwords, and of contents only how much and which. Commands
   * are shown.
   */
  readonly args: readonly unknown[];
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly retryable: Retryable };
}

export interface RecorderOptions {
  /** Gets each call when it has ended. */
  record: (call: RecordedCall) => void;
}

/** Tells of every call, to compare how two backends answer the same program. */
export function withRecorder<P extends SandboxProvider>(
  provider: P,
  { record }: RecorderOptions,
): P {
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => {
    const known = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, known);
    return known;
  };
  let count = 0;
  return withLayer(provider, async (call, next) => {
    const number = ++count;
    const started = performance.now();
    const startedAt = new Date().toISOString();
    const tell = (outcome: Pick<RecordedCall, 'result' | 'error'>): void => {
      const { operation, provider: backend, sandboxId, args } = call;
      record({
        number,
        operation,
        provider: backend,
        ...(sandboxId === undefined ? {} : { sandbox: numberOf(sandboxId) }),
        startedAt,
        durationMs: performance.now() - started,
        args: args.map((arg, i) =>
          redacted(arg, numberOf, CONTENT_AT[operation] === i ? 'data' : ''),
        ),
        ...outcome,
      });
    };
    try {
      const result = await next();
      tell({ result: redacted(result, numberOf) });
      return result;
    } catch (error) {
      const known = isSandboxError(error);
      tell({
        error: known
          ? { code: error.code, retryable: error.retryable }
          : { code: 'aborted', retryable: false },
      });
      throw error;
    }
  });
}

/** Fields whose values are nobody's business. */
const SECRET = /^(?:env|headers|token)$|password|secret|key$/i;
/** Fields that hold what was in a file or was printed. */
const CONTENT = /^(?:data|stdin|stdout|stderr|output|code)$/;
/** Arguments that are such contents themselves. */
const CONTENT_AT: Partial<Record<OperationName, number>> = {
  'files.write': 1,
  'sandbox.runCode': 0,
};
/** Texts up to this length are shown in whole, other than contents. */
const SHORT = 500;

function redacted(value: unknown, numberOf: (id: string) => number, field = ''): unknown {
  if (value instanceof Sandbox) return { sandbox: numberOf(value.id) };
  if (value instanceof ProcessHandle) return { process: true };
  if (value instanceof Uint8Array) return digest(value);
  if (value instanceof ReadableStream) return { stream: true };
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'function' || value instanceof AbortSignal) return undefined;
  if (typeof value === 'string') {
    return CONTENT.test(field) || value.length > SHORT ? digest(Buffer.from(value)) : value;
  }
  if (Array.isArray(value)) return value.map((one) => redacted(one, numberOf, field));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    SECRET.test(key) ? namesOnly(one) : redacted(one, numberOf, key),
  ]);
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined));
}

function namesOnly(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === undefined ? undefined : '…';
  return Object.fromEntries(Object.keys(value).map((key) => [key, '…']));
}

function digest(bytes: Uint8Array): { bytes: number; sha256: string } {
  return { bytes: bytes.byteLength, sha256: sha256(bytes).toString('hex').slice(0, 16) };
}
