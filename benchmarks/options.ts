import { parseArgs } from 'node:util';

/** What both short benchmarks can be asked for. */
export interface BenchmarkOptions {
  quick: boolean;
  json: boolean;
}

/**
 * Options of the command line; none when help was asked for, which is printed then.
 * @throws {TypeError} for an option that there is not
 */
export function readOptions(usage: string): BenchmarkOptions | undefined {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) process.stdout.write(usage);
  return values.help ? undefined : values;
}
