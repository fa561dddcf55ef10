import { SandboxError } from '../../provider/errors.ts';
import { fromStatus, retryAfterMs } from './status.ts';
import { fromTransport, ledOn } from './transport.ts';

export interface RestOptions {
  /** Name of the provider, for errors. */
  provider: string;
  /** Without a slash at the end. */
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  /** How long an answer may take, in milliseconds. */
  timeoutMs: number;
}

export interface RestRequest {
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Another limit than usual. */
  timeoutMs?: number;
}

/** An answer as it came. */
export interface RestAnswer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else its text. */
  body: unknown;
  isJson: boolean;
}

/** Requests that the SDK of a backend has no method for. */
export class Rest {
  readonly #options: RestOptions;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Any answer, also one that says that something went wrong. @throws {SandboxError} when none comes */
  async ask(method: string, path: string, request: RestRequest = {}): Promise<RestAnswer> {
    const { provider, baseUrl, headers } = this.#options;
    const { body, signal, timeoutMs = this.#options.timeoutMs } = request;
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        // Whoever is led on asks, where it meant to create: a POST goes on as a GET.
        redirect: 'manual',
      });
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        throw ledOn(provider, baseUrl, location);
      }
      const text = await response.text();
      return { status: response.status, headers: response.headers, ...parsed(text) };
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.aborted) {
        const told = `${provider} did not answer in ${timeoutMs} ms (${method} ${baseUrl}${path})`;
        throw new SandboxError('timeout', told, { provider, cause: error });
      }
      throw fromTransport(error, provider, baseUrl) ?? error;
    }
  }

  /** The body of an answer that says that it went well. @throws {SandboxError} for any other */
  async must<T>(method: string, path: string, request: RestRequest = {}): Promise<T> {
    const answer = await this.ask(method, path, request);
    if (answer.status < 300) return answer.body as T;
    throw this.failure(answer, `${method} ${path}`);
  }

  /** The error for an answer. */
  failure({ status, headers, body }: RestAnswer, what: string): SandboxError {
    const said = messageOf(body);
    return fromStatus(status, `${what}: ${status}${said === '' ? '' : ` ${said}`}`, {
      provider: this.#options.provider,
      where: this.#options.baseUrl,
      retryAfterMs: retryAfterMs(headers.get('retry-after')),
    });
  }
}

function parsed(text: string): Pick<RestAnswer, 'body' | 'isJson'> {
  if (text === '') return { body: undefined, isJson: false };
  try {
    return { body: JSON.parse(text) as unknown, isJson: true };
  } catch {
    return { body: text, isJson: false };
  }
}

function messageOf(body: unknown): string {
  if (typeof body === 'string') return body.slice(0, 500);
  if (typeof body !== 'object' || body === null) return '';
  return 'message' in body && typeof body.message === 'string' ? body.message : '';
}
