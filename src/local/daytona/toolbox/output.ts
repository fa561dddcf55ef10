import type { SandboxProcess } from '../../engine/process.ts';

/** What a process said, to its end, in one text. */
export interface Said {
  exitCode: number;
  output: string;
}

/**
 * Puts both streams of a command into one pipe, the only way to keep their order. What stays on the
 * process's own standard error is a complaint of the shell that does this.
 */
export function merged(argv: readonly string[]): string[] {
  return ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...argv];
}

/** Reads all output; resolves when its last writer has closed it, and the process has ended. */
export async function said(process: SandboxProcess): Promise<Said> {
  process.stderr.resume();
  const output = await textOf(process.stdout);
  return { exitCode: (await process.exit).exitCode, output };
}

/** All of a stream. Unlike `text` of `node:stream/consumers`, it keeps a byte order mark. */
export async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
