/**
 * A failure that has an HTTP status of its own, whatever the front; each front puts it into the
 * body its clients expect.
 */
export class HttpFailure extends Error {
  override name = 'HttpFailure';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
