import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SkippedFile } from '../model/report.ts';
import { looksGenerated } from './generated.ts';
import { importSpecifiers } from './imports.ts';
import { readSource } from './read.ts';

/** What one file gives a scan. A file that imports nothing and does not name Daytona gives nothing. */
export interface FileRead {
  file: string;
  /** Module names a code file may import. */
  specifiers?: readonly string[];
  /** Present when the file names Daytona. */
  text?: string;
  isGenerated?: boolean;
  skip?: SkippedFile;
  /** What broke while looking at the text. */
  failure?: string;
}

/** What the reader needs to know; plain, since it may go to another thread. */
export interface ReadJob {
  root: string;
  files: readonly string[];
  maxBytes: number;
}

export const CODE_FILE = /\.[cm]?[jt]sx?$/;
/** Files between two turns of the event loop, and in one message of the reading thread. */
export const BATCH = 500;
/** Below this many files a thread costs more than it saves. */
const WORTH_A_THREAD = 2_000;

/** The reading thread exists in the bundle only; from source everything is read in place. */
const WORKER = import.meta.url.endsWith('.ts')
  ? undefined
  : new URL('./read-worker.js', import.meta.url);

/** Whether {@link readAll} will read such a job in another thread, leaving this one free. */
export function readsElsewhere({ files }: ReadJob): boolean {
  return WORKER !== undefined && files.length >= WORTH_A_THREAD;
}

/**
 * Reads every file once, in order, in batches. Large jobs are read in a thread of their own, which
 * starts at once, not when the first batch is asked for.
 */
export function readAll(job: ReadJob): AsyncGenerator<readonly FileRead[]> {
  return readsElsewhere(job)
    ? readInThread(new Worker(WORKER as URL, { workerData: job }))
    : readHere(job);
}

async function* readHere(job: ReadJob): AsyncGenerator<readonly FileRead[]> {
  for (const batch of batches(job)) {
    yield batch;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The batches of a job; also what the reading thread runs. */
export function* batches({ root, files, maxBytes }: ReadJob): Generator<readonly FileRead[]> {
  for (let start = 0; start < files.length; start += BATCH) {
    yield files
      .slice(start, start + BATCH)
      .map((file) => readFile(root, file, maxBytes))
      .filter((read) => read !== undefined);
  }
}

/** Message of the reading thread: a batch, or undefined after the last one. */
export type ReadMessage = readonly FileRead[] | undefined;

async function* readInThread(worker: Worker): AsyncGenerator<readonly FileRead[]> {
  const arrived: ReadMessage[] = [];
  let failed: Error | undefined;
  let wake = (): void => undefined;
  worker.on('message', (message: ReadMessage) => {
    arrived.push(message);
    wake();
  });
  worker.on('error', (error) => {
    failed = error;
    wake();
  });
  try {
    for (;;) {
      while (arrived.length === 0 && failed === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (failed !== undefined) throw failed;
      const batch = arrived.shift();
      if (batch === undefined) return;
      yield batch;
    }
  } finally {
    await worker.terminate();
  }
}

function readFile(root: string, file: string, maxBytes: number): FileRead | undefined {
  const isCode = CODE_FILE.test(file);
  const result = readSource(join(root, file), maxBytes, { wantText: isCode });
  if (result.kind === 'none') return undefined;
  if (result.kind === 'skip') {
    const { reason, incomplete, detail } = result;
    return {
      file,
      skip: { file, reason, incomplete, ...(detail === undefined ? {} : { detail }) },
    };
  }
  const { text, needle } = result;
  try {
    const isGenerated = needle && looksGenerated(file, text);
    const specifiers = isCode && !isGenerated ? importSpecifiers(text) : [];
    if (!needle) return specifiers.length > 0 ? { file, specifiers } : undefined;
    return { file, specifiers, text, isGenerated };
  } catch (error) {
    // A bug on one file must not hide the others.
    return { file, text, failure: error instanceof Error ? error.message : String(error) };
  }
}
