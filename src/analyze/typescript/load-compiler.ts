import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

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

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Written whole or not at all; a read-only installation goes without. */
function keep(cacheFile: string, script: Script): void {
  const part = `${cacheFile}.${process.pid}`;
  try {
    writeFileSync(part, script.createCachedData());
    renameSync(part, cacheFile);
  } catch {
    rmSync(part, { force: true });
  }
}
