import type { Sandbox as Native } from 'e2b';
import type { FileData, FileEntry, FileOptions } from '../../provider/files.ts';
import { quote } from '../../shell/quote.ts';
import { E2BFiles, nativeData } from '../e2b/files.ts';

/** CubeProxy takes bodies of 256 MiB at most (`client_max_body_size`); half of it leaves room. */
const PART_BYTES = 128 * 2 ** 20;

/** Files that are too large for one request are written in parts. */
export class CubeFiles extends E2BFiles {
  protected override async writeFiles(
    entries: readonly FileEntry[],
    options: FileOptions,
  ): Promise<void> {
    const small: FileEntry[] = [];
    let bytes = 0;
    for (const entry of entries) {
      const size = sizeOf(entry.data);
      if (size === undefined || size > PART_BYTES) {
        await this.use(options.signal, (native) => this.#inParts(native, entry, options));
      } else {
        if (bytes + size > PART_BYTES) {
          await super.writeFiles(small.splice(0), options);
          bytes = 0;
        }
        small.push(entry);
        bytes += size;
      }
    }
    if (small.length > 0) await super.writeFiles(small, options);
  }

  /** Writes a part to the file itself, and each further one beside it, from where it is added. */
  async #inParts(native: Native, { path, data }: FileEntry, options: FileOptions): Promise<void> {
    const request = { ...this.native(options), requestTimeoutMs: 0 };
    const extra = `${path}.cubeshift-part`;
    let isFirst = true;
    for await (const part of partsOf(data)) {
      await native.files.write(isFirst ? path : extra, nativeData(part), request);
      if (!isFirst) {
        const [target, source] = [quote(path), quote(extra)];
        const command = `cat -- ${source} >> ${target} && rm -f -- ${source}`;
        const { user } = request;
        await native.commands.run(command, {
          timeoutMs: 0,
          ...(user === undefined ? {} : { user }),
        });
      }
      isFirst = false;
    }
  }
}

/** In bytes; `undefined` for a stream, whose end nobody knows. */
function sizeOf(data: FileData): number | undefined {
  if (typeof data === 'string') return Buffer.byteLength(data);
  return data instanceof Uint8Array ? data.byteLength : undefined;
}

/** Pieces of at most {@link PART_BYTES}; an empty one of what is empty. */
async function* partsOf(data: FileData): AsyncGenerator<Uint8Array> {
  if (data instanceof ReadableStream) return yield* partsOfStream(data);
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  for (let at = 0; at === 0 || at < bytes.byteLength; at += PART_BYTES) {
    yield bytes.subarray(at, at + PART_BYTES);
  }
}

async function* partsOfStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  let isFirst = true;
  for await (const chunk of stream) {
    held.push(chunk);
    bytes += chunk.byteLength;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(held);
    isFirst = false;
    [held, bytes] = [[], 0];
  }
  if (bytes > 0 || isFirst) yield Buffer.concat(held);
}
