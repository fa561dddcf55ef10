import { CommanderError } from 'commander';
import { OutputError, UsageError } from './errors.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { writeStderr } from './output.ts';
import { createProgram } from './program.ts';

/**
 * Entry point of the executable. Sets the exit code and lets the process end by itself, so that
 * everything written still reaches its reader. Ctrl-C is left to the system: it ends even a busy
 * compiler at once, and files are written whole or not at all.
 */
export async function run(argv: readonly string[] = process.argv): Promise<void> {
  // Failed writes are handled where they happen; without a listener Node would print a stack.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  let done = false;
  process.once('exit', () => {
    // The event loop ran dry before the command was done, so nobody can say how it went.
    if (!done) process.exitCode = EXIT.incomplete;
  });
  process.exitCode = await main(argv);
  done = true;
}

/** Runs one command line and returns its exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  const debug = argv.includes('--debug');
  let code: number = EXIT.ok;
  try {
    const program = createProgram((result) => {
      code = result;
    });
    await program.parseAsync([...argv]);
    return code;
  } catch (error) {
    return report(error, debug);
  }
}

/** Tells the user what went wrong and picks the exit code. */
function report(error: unknown, debug: boolean): ExitCode {
  // Commander has printed its message already; help and version that were asked for are no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (debug && error instanceof Error) writeStderr(error.stack ?? error.message);
  if (error instanceof UsageError) {
    writeStderr(`error: ${error.message}`);
    return EXIT.usage;
  }
  if (error instanceof OutputError) {
    writeStderr(`error: ${error.message}`);
    return EXIT.incomplete;
  }
  writeStderr(`internal error: ${error instanceof Error ? error.message : String(error)}`);
  if (!debug) writeStderr('This is a bug in cubeshift. Run again with --debug to see where.');
  return EXIT.incomplete;
}
