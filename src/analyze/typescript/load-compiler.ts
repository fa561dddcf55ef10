import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/**
 * Loads the bundled compiler. Compiling its 3.6 MB is a sixth of a short scan, so what V8 compiled is
 * kept in a file beside it, inside our own package: Node does that itself from 22.1 on
 * (`enableCompileCache`, which the executable asks for), for Node 20 it is done here. V8 refuses a
 * cache of another version of itself or of another text. `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 */
export function loadCompiler(url: URL): unknown {
  const file = fileURLToPath(url);
  const require = nodeModule.createRequire(url);
  const isOff = process.env.NODE_DISABLE_COMPILE_CACHE === '1';
  if ('enableCompileCache' in nodeModule || isOff) return require(file);
  return loadCached(file, require);
}

function loadCached(file: string, require: NodeJS.Require): unknown {
  const cacheFile = `${file}.${process.version}-${process.arch}.cache`;
  const cached = readIfThere(cacheFile);
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`;
  const script = new Script(source, {
    filename: file,
    ...(cached === undefined ? {} : { cachedData: cached }),
  });
  const module = { exports: {} as unknown };
  const wrapper = script.runInThisContext() as (...args: unknown[]) => void;
  wrapper(module.exports, require, module, file, dirname(file));
  if (cached === undefined || script.cachedDataRejected) {
    // At the end, so that what the scan made V8 compile is in it.
    process.once('exit', () => keep(cacheFile, script));
  }
  return module.exports;
}

/** What was kept, unless it is damaged: V8 checks the length only, and dies of a wrong byte. */
function readIfThere(path: string): Buffer | undefined {
  try {
    const kept = readFileSync(path);
    const data = kept.subarray(0, -CHECKSUM_BYTES);
    return kept.readUInt32LE(data.length) === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** At the end of the file: V8 copies data that does not start where memory does. */
const CHECKSUM_BYTES = 4;

/** Written whole or not at all; a read-only installation goes without. */
function keep(cacheFile: string, script: Script): void {
  const part = `${cacheFile}.${process.pid}`;
  try {
    const data = script.createCachedData();
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(data));
    writeFileSync(part, Buffer.concat([data, checksum]));
    renameSync(part, cacheFile);
  } catch {
    rmSync(part, { force: true });
  }
}
