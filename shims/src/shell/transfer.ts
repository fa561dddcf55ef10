import type { FileData, FileOptions } from '../provider/files.ts';
import type { ExecResult } from '../provider/process.ts';
import { Base64Decoder } from './base64.ts';
import { C_LOCALE, type Shell } from './command.ts';
import { quote } from './quote.ts';

/** A file to write, its paths as words of a command. */
export interface Target {
  readonly path: string;
  readonly parent: string;
  readonly data: FileData;
}

/** Content of one argument, in bytes: Linux allows 128 KiB for it, and base64 adds a third. A multiple of 3. */
const ARGUMENT_BYTES = 60_000;
const NOT_BASE64 = /[^\w+/=\s]/;
/** Content of one message, in bytes: backends limit those as well. */
const MESSAGE_BYTES = 512 * 1024;

/** Sends content through the input of one command. */
export async function writeByInput(
  shell: Shell,
  { path, parent, data }: Target,
  options: FileOptions,
): Promise<ExecResult> {
  const command = `mkdir -p ${parent} && cat > ${path}`;
  const process = await shell.spawn(command, { ...options, env: C_LOCALE, stdin: true });
  let lost: { error: unknown } | undefined;
  try {
    for await (const bytes of pieces(data, MESSAGE_BYTES)) {
      await process.sendInput(bytes).catch((error: unknown) => {
        lost = { error };
      });
      if (lost !== undefined) break;
    }
  } catch (error) {
    await process.kill();
    throw error;
  }
  // A command that has failed reads nothing more, and its own words say why.
  await process.closeInput().catch(() => process.kill());
  const result = await process.wait(options);
  if (lost !== undefined && result.exitCode === 0) throw lost.error;
  return result;
}

/** Sends content as arguments of one command after the other. */
export async function writeByArguments(
  shell: Shell,
  { path, parent, data }: Target,
  options: FileOptions,
): Promise<ExecResult> {
  const run = (command: string): Promise<ExecResult> =>
    shell.exec(command, { ...options, env: C_LOCALE });
  let result = await run(`mkdir -p ${parent} && : > ${path}`);
  for await (const bytes of pieces(data, ARGUMENT_BYTES)) {
    if (result.exitCode !== 0) break;
    const text = quote(Buffer.from(bytes).toString('base64'));
    result = await run(`printf %s ${text} | base64 -d >> ${path}`);
  }
  return result;
}

/**
 * Reads a file as it comes. Answers with its first bytes, so that a file that cannot be read is an error
 * of the call and not of the stream.
 */
export async function readStream(
  shell: Shell,
  path: string,
  options: FileOptions,
  failed: (result: ExecResult) => Error,
): Promise<ReadableStream<Uint8Array>> {
  const decoder = new Base64Decoder();
  let words = '';
  let isOpen = true;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { stream, controller } = openStream(() => {
    isOpen = false;
    return process.kill();
  });
  const process = await shell.spawn(`base64 ${path}`, {
    ...options,
    env: C_LOCALE,
    capture: false,
    onStdout: (text) => {
      // Where streams are merged, what went wrong comes here too.
      if (NOT_BASE64.test(text)) words += text;
      else if (isOpen) controller.enqueue(decoder.push(text));
      if (words === '') begin();
    },
    onStderr: (text) => {
      words += text;
    },
  });
  const ended = process.wait().then((result) => {
    if (result.exitCode !== 0) throw failed({ ...result, stderr: words });
    if (isOpen) controller.close();
  });
  await Promise.race([begun, ended]);
  ended.catch((error: unknown) => controller.error(error));
  return stream;
}

function openStream(cancel: () => Promise<unknown>): {
  stream: ReadableStream<Uint8Array>;
  controller: ReadableStreamDefaultController<Uint8Array>;
} {
  const holder: { controller?: ReadableStreamDefaultController<Uint8Array> } = {};
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => {
      holder.controller = given;
    },
    cancel: async () => {
      await cancel();
    },
  });
  if (holder.controller === undefined) throw new Error('Streams start when they are made');
  return { stream, controller: holder.controller };
}

/** Content in pieces of `size` bytes, the last one shorter; none for no content. */
export async function* pieces(data: FileData, size: number): AsyncGenerator<Uint8Array> {
  if (!(data instanceof ReadableStream)) {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    return;
  }
  let rest: Uint8Array = new Uint8Array(0);
  for await (const bytes of data) {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (; rest.length >= size; rest = rest.subarray(size)) yield rest.subarray(0, size);
  }
  if (rest.length > 0) yield rest;
}
