import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../../engine/errors.ts';
import type { Files } from '../../engine/files.ts';

/** How long what is written may wait for more. */
const BATCH_MS = 15;

/** Pieces are kept small, as the daemon's are: clients recurse for every line of one. */
const PIECE = 4096;

/** The part of a command that following its log needs. */
export interface Logged {
  readonly dir: string;
  readonly ended: Promise<void>;
  exitCode?: number;
}

export interface TailOptions {
  follow: boolean;
  signal?: AbortSignal;
}

/** Gives out a log as it grows: what is there, then more, until the command has ended. */
export async function* logChunks(
  files: Files,
  command: Logged,
  { follow, signal }: TailOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const path = `${command.dir}/log`;
  let at = 0;
  if (!follow) {
    yield* chunksFrom(files, path, at);
    return;
  }
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  const bell = new Bell();
  let isOver = command.exitCode !== undefined;
  const over = command.ended.then(() => {
    isOver = true;
    bell.ring();
  });
  stop.signal.addEventListener('abort', () => bell.ring(), { once: true });
  try {
    const watching = watch(files, command.dir, stop.signal, bell);
    await watching.ready;
    while (!stop.signal.aborted) {
      // Looked at before reading, so that nothing written before the end is missed.
      const isLast = isOver;
      for await (const chunk of chunksFrom(files, path, at)) {
        at += chunk.length;
        yield chunk;
        if (stop.signal.aborted) return;
      }
      if (isLast) return;
      await bell.wait();
      // A chatty command rings a thousand times a second; once in a while is enough to look.
      if (!isOver) await sleep(BATCH_MS, undefined, { ref: false });
    }
  } finally {
    signal?.removeEventListener('abort', end);
    stop.abort();
    over.catch(() => undefined);
  }
}

async function* chunksFrom(files: Files, path: string, start: number): AsyncGenerator<Buffer> {
  try {
    const { stream } = await files.read(path, { start });
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      for (let from = 0; from < chunk.length; from += PIECE) {
        yield chunk.subarray(from, from + PIECE);
      }
    }
  } catch (error) {
    // A log that nothing was written to yet, or of a sandbox that has stopped meanwhile.
    if (!(error instanceof EngineError)) throw error;
  }
}

/** Rings whenever something in the folder changes. */
function watch(
  files: Files,
  dir: string,
  signal: AbortSignal,
  bell: Bell,
): { ready: Promise<void> } {
  const opening = files.watch(dir, { signal });
  void (async () => {
    for await (const _change of await opening) bell.ring();
  })().catch(() => bell.ring());
  return {
    ready: opening.then(
      () => undefined,
      () => undefined,
    ),
  };
}

/** Wakes one waiter; rings while nobody waits are remembered, as one. */
class Bell {
  #hasRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  async wait(): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    this.#hasRung = false;
  }
}
