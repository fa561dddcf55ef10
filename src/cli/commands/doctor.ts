import { isSandboxError } from '../../../shims/src/provider/errors.ts';
import { type Configuration, readConfiguration } from '../../doctor/configured.ts';
import { runDoctor as examine } from '../../doctor/doctor.ts';
import { asText } from '../../doctor/text.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { writeStdout } from '../output.ts';
import { textWidth, useColour } from '../terminal.ts';

export interface DoctorFlags {
  provider?: string[];
  config?: string;
  create?: boolean;
  json?: boolean;
  color: boolean;
  debug?: boolean;
}

/** Runs `cubeshift doctor`. @throws {UsageError} when nothing is configured, or wrongly */
export async function runDoctor(flags: DoctorFlags): Promise<ExitCode> {
  const folder = process.cwd();
  const configuration = await read(flags, folder);
  const report = await examine({
    configuration,
    folder,
    env: process.env,
    create: flags.create === true,
  });
  const { stdout } = process;
  await writeStdout(
    flags.json
      ? `${JSON.stringify(report, null, 2)}\n`
      : asText(report, { colour: useColour(stdout, flags.color), width: textWidth(stdout) }),
  );
  return report.counts.problem > 0 ? EXIT.gate : EXIT.ok;
}

async function read({ provider, config }: DoctorFlags, folder: string): Promise<Configuration> {
  try {
    return await readConfiguration({ providers: provider, config }, folder, process.env);
  } catch (error) {
    if (!isSandboxError(error, 'configuration')) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
