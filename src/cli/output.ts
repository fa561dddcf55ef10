import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolders } from '../folders.ts';
import { OutputError, systemReason } from './errors.ts';

/**
 * Writes to stdout and waits until the text has left the process, so that a pipe never gets a cut
 * result. A reader that went away (`| head`) is not an error: nobody wants the rest.
 */
export function writeStdout(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error == null || isClosedPipe(error)) resolve();
      else reject(new OutputError(`Cannot write to stdout: ${systemReason(error)}`));
    });
  });
}

/** Writes a line to stderr: progress, hints and errors go there, never to stdout. */
export function writeStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Writes a file so that readers see the old content or the new one, never a part of it.
 * Parent folders are created, links are followed, and devices and pipes are written to directly.
 * @throws {OutputError} when that fails; no temporary file is left behind.
 */
export function writeFile(path: string, text: string, shownAs = path): void {
  try {
    makeFolders(dirname(path));
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) replaceFile(path, text);
    else if (stats.isFile()) replaceFile(realpathSync(path), text);
    else writeFileSync(path, text);
  } catch (error) {
    throw new OutputError(`Cannot write ${shownAs}: ${systemReason(error)}`);
  }
}

function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** True for the error of writing to a pipe nobody reads any more. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPIPE';
}
