import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { residentMb } from './server.ts';

/** Where a file goes and where it comes from. */
export interface Transfer {
  name: string;
  upload: {
    url: string;
    headers?: Record<string, string>;
    form?: { before: string; after: string };
  };
  download: { url: string; headers?: Record<string, string>; method?: string; body?: string };
}

/** One direction of one transfer. */
export interface Moved {
  mbPerS: number;
  /** By how much the server's resident memory grew at most; null for the bare server. */
  grewMb: number | null;
}

const CHUNK = randomBytes(1024 * 1024);

/** Sends so many bytes. @throws {Error} when the answer is not a success */
export function upload({ upload }: Transfer, bytes: number, pid?: number): Promise<Moved> {
  return measured(bytes, pid, async () => {
    const { form } = upload;
    const body = async function* (): AsyncGenerator<Uint8Array> {
      if (form !== undefined) yield Buffer.from(form.before);
      for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
      if (form !== undefined) yield Buffer.from(form.after);
    };
    const outgoing = request(upload.url, { method: 'POST', headers: upload.headers ?? {} });
    const answered = once(outgoing, 'response');
    await pipeline(Readable.from(body()), outgoing);
    const [response] = await answered;
    await drain(response);
    if (response.statusCode >= 300) throw new Error(`upload: ${response.statusCode}`);
  });
}

/** Gets the file back. @throws {Error} when it is not of the size it should be */
export function download({ download }: Transfer, bytes: number, pid?: number): Promise<Moved> {
  return measured(bytes, pid, async () => {
    const { method = 'GET', headers = {}, body } = download;
    const outgoing = request(download.url, { method, headers });
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    const received = await drain(response);
    if (response.statusCode >= 300 || received < bytes) {
      throw new Error(`download: ${response.statusCode}, ${received} bytes`);
    }
  });
}

async function drain(response: AsyncIterable<Uint8Array>): Promise<number> {
  let received = 0;
  for await (const chunk of response) received += chunk.length;
  return received;
}

async function measured(
  bytes: number,
  pid: number | undefined,
  move: () => Promise<void>,
): Promise<Moved> {
  const before = pid === undefined ? 0 : residentMb(pid);
  let peak = before;
  const timer = setInterval(() => {
    if (pid !== undefined) peak = Math.max(peak, residentMb(pid));
  }, 50);
  const started = performance.now();
  try {
    await move();
  } finally {
    clearInterval(timer);
  }
  const seconds = (performance.now() - started) / 1000;
  return { mbPerS: bytes / 1e6 / seconds, grewMb: pid === undefined ? null : peak - before };
}
