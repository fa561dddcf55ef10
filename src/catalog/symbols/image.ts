import { fields, fixed, method, optional, property, quiet } from '../define.ts';
import type { MemberEntry, TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, split, unsupported } from '../verdicts.ts';

const DOCKERFILE = 'Cube builds no images: run the same steps in a Dockerfile and push the result.';

const IMAGE = {
  rule: 'DT704',
  fix: 'manual',
  since: '0.19.0',
  verdicts: split(adapted('A step of an E2B template build.'), emulated(DOCKERFILE)),
} as const;

const step = (type: string, becomes: string, extra: Partial<MemberEntry> = {}): MemberEntry =>
  method(`${type}: Image`, { becomes, ...extra });

/** Declarative images. Steps keep their order in a Dockerfile, which every target can start from. */
export const IMAGE_TYPES: readonly TypeEntry[] = [
  {
    name: 'Image',
    kind: 'class',
    exported: true,
    ...IMAGE,
    becomes: 'Template (of e2b), or a Dockerfile',
    members: {
      base: fixed('(image: string): Image', { becomes: 'Template().fromImage(image)' }),
      debianSlim: fixed('(pythonVersion?: string): Image', {
        becomes: 'Template().fromPythonImage(version)',
        distinctive: true,
        verdicts: split(
          adapted('Compilers and pip are not set up: add them.'),
          emulated(DOCKERFILE),
        ),
      }),
      fromDockerfile: fixed('(path: string, options?: { strictContext?: boolean }): Image', {
        becomes: 'Template().fromDockerfile(path)',
        verdicts: split(
          adapted(),
          emulated('Build and push it with docker, then make a template.'),
        ),
      }),
      pipInstall: step(
        '(packages: string | string[], options?: PipInstallOptions)',
        'pipInstall(packages)',
        {},
      ),
      pipInstallFromRequirements: step(
        '(requirementsTxt: string, options?: PipInstallOptions)',
        'copy(file), runCmd(pip install -r)',
        { distinctive: true },
      ),
      pipInstallFromPyproject: step(
        '(pyprojectToml: string, options?: PyprojectOptions)',
        'copy(file), runCmd(pip install)',
        { distinctive: true },
      ),
      addLocalFile: step('(localPath: string, remotePath: string)', 'copy(local, remote)', {}),
      addLocalDir: step('(localPath: string, remotePath: string)', 'copy(local, remote)', {}),
      runCommands: step('(...commands: (string | string[])[])', 'runCmd(command)'),
      env: step('(envVars: Record<string, string>)', 'setEnvs(env)'),
      workdir: step('(dirPath: string)', 'setWorkdir(path)'),
      entrypoint: step('(entrypointCommands: string[])', 'setStartCmd(command, ready)'),
      cmd: step('(cmd: string[])', 'setStartCmd(command, ready)'),
      dockerfileCommands: step(
        '(dockerfileCommands: string[], contextDir?: string, options?: { strictContext?: boolean })',
        'fromDockerfile(text)',
        {},
      ),
      dockerfile: property('string', {
        becomes: 'the Dockerfile itself',
        verdicts: everywhere(adapted('Keep the Dockerfile as a file.')),
      }),
      contextList: property('Context[]', {
        becomes: null,
        py: null,
        verdicts: everywhere(unsupported('The build tool finds the context itself.')),
      }),
    },
  },
  {
    name: 'Context',
    kind: 'interface',
    exported: false,
    py: null,
    ...IMAGE,
    becomes: null,
    verdicts: everywhere(unsupported('The build tool finds the context itself.')),
    members: fields('string', 'sourcePath', 'archivePath'),
  },
  {
    name: 'PipInstallOptions',
    kind: 'interface',
    exported: false,
    py: null,
    ...IMAGE,
    becomes: 'arguments of pip install',
    members: {
      ...fields('string[]', 'findLinks', 'extraIndexUrls'),
      ...fields('string', 'indexUrl', 'extraOptions'),
      pre: quiet('boolean'),
    },
  },
  {
    name: 'PyprojectOptions',
    kind: 'interface',
    exported: false,
    py: null,
    heritage: 'extends PipInstallOptions',
    ...IMAGE,
    becomes: 'arguments of pip install',
    members: { optionalDependencies: optional('string[]', { quiet: true }) },
  },
];
