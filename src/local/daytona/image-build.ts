import { posix } from 'node:path';
import { PATH } from '../engine/isolation/scripts.ts';
import type { Sandbox } from '../engine/sandbox.ts';
import {
  assignments,
  DockerfileError,
  execForm,
  type Instruction,
  parseDockerfile,
  words,
} from './dockerfile.ts';
import type { ImageConfig } from './record.ts';
import { matches } from './toolbox/file-info.ts';
import { textOf } from './toolbox/output.ts';

/** Where uploaded files are unpacked while an image is built. */
const CONTEXT = '/tmp/.build-context';

/** Instructions that say something about an image which has no meaning here. */
const RECORDED = new Set(
  'LABEL EXPOSE MAINTAINER VOLUME STOPSIGNAL HEALTHCHECK ONBUILD SHELL'.split(' '),
);

/**
 * Owner and mode are set on a copy: neither what the target had before nor what a later instruction
 * copies has to do with them.
 */
const COPY = `set -e
dest=$1; folder=$2; owner=$3; mode=$4; shift 4
own=../.build-copy
trap 'rm -rf "$own"' EXIT
make() {
  [ -d "$1" ] && return
  mkdir -p -- "$1"
  [ -z "$owner" ] || chown -- "$owner" "$1"
}
for source in "$@"; do
  if [ -n "$owner$mode" ]; then
    rm -rf "$own"; mkdir "$own"
    cp -aH -- "$source" "$own/"
    source=$own/$(basename -- "$source")
    [ -z "$owner" ] || chown -hR -- "$owner" "$source"
    [ -z "$mode" ] || chmod -R -- "$mode" "$source"
  fi
  if [ -d "$source" ]; then
    if [ -d "$dest" ]; then
      find "$source/" -mindepth 1 -maxdepth 1 -exec sh -c 'exec cp -a -- "$@" "$0"' "$dest/" {} +
    else make "$(dirname -- "$dest")"; cp -a -- "$source/." "$dest"; fi
  elif [ "$folder" = 1 ]; then make "$dest"; cp -aH -- "$source" "$dest/"
  else make "$(dirname -- "$dest")"; cp -aH -- "$source" "$dest"; fi
done`;

export interface BuildInput {
  /** Runs what the Dockerfile says; its files become the image's. */
  sandbox: Sandbox;
  dockerfile: string;
  /** Archives with the files that COPY names. */
  contexts: readonly AsyncIterable<Uint8Array>[];
  log(text: string): void;
}

/**
 * Does what a Dockerfile says, on top of this host's root. The base image cannot be had without a
 * registry: this host stands in for it, which the log says.
 * @throws DockerfileError when a step fails
 */
export async function buildImage(input: BuildInput): Promise<ImageConfig> {
  const instructions = parseDockerfile(input.dockerfile);
  if (!instructions.some(({ name }) => name === 'FROM')) {
    throw new DockerfileError('the Dockerfile has no FROM');
  }
  const build = new Build(input);
  await build.unpack();
  for (const [index, instruction] of instructions.entries()) {
    const { name, rest } = instruction;
    input.log(`Step ${index + 1}/${instructions.length} : ${name} ${rest}\n`);
    await build.step(instruction);
  }
  await build.clean();
  input.log('Successfully built image\n');
  return build.config();
}

class Build {
  readonly #input: BuildInput;
  readonly #args: Record<string, string> = {};
  #env: Record<string, string> = {};
  #workDir: string | undefined;
  #user: string | undefined;
  #entrypoint: string[] = [];
  #command: string[] = [];
  #stages = 0;

  constructor(input: BuildInput) {
    this.#input = input;
  }

  config(): ImageConfig {
    const entrypoint = [...this.#entrypoint, ...this.#command];
    return {
      env: this.#env,
      user: this.#user ?? 'root',
      ...(this.#workDir === undefined ? {} : { workDir: this.#workDir }),
      ...(entrypoint.length === 0 ? {} : { entrypoint }),
    };
  }

  async unpack(): Promise<void> {
    const { files } = this.#input.sandbox;
    if (this.#input.contexts.length === 0) return;
    await files.mkdir(CONTEXT, { user: 'root' });
    for (const archive of this.#input.contexts) {
      await files.write(`${CONTEXT}.tar`, archive, { user: 'root' });
      await this.#must(['tar', '--no-same-owner', '-xf', '../.build-context.tar'], CONTEXT);
      await files.remove(`${CONTEXT}.tar`);
    }
  }

  async clean(): Promise<void> {
    await this.#input.sandbox.files.remove(CONTEXT, { recursive: true }).catch(() => undefined);
  }

  async step({ name, rest, flags, documents }: Instruction): Promise<void> {
    const known = { PATH, ...this.#args, ...this.#env };
    switch (name) {
      case 'FROM':
        return this.#from(words(rest, known)[0] ?? '');
      case 'ARG': {
        for (const word of words(rest, known)) {
          const [key = '', ...value] = word.split('=');
          this.#args[key] ??= value.join('=');
        }
        return;
      }
      case 'ENV':
        this.#env = { ...this.#env, ...Object.fromEntries(assignments(rest, known)) };
        return;
      case 'WORKDIR': {
        const [dir = '/'] = words(rest, known);
        this.#workDir = posix.resolve(this.#workDir ?? '/', dir);
        await this.#input.sandbox.files.mkdir(this.#workDir, { user: 'root' });
        return;
      }
      case 'USER':
        this.#user = await this.#account(words(rest, known)[0]?.split(':')[0] ?? 'root');
        return;
      case 'ENTRYPOINT':
        this.#entrypoint = execForm(rest) ?? ['/bin/sh', '-c', rest];
        this.#command = [];
        return;
      case 'CMD':
        this.#command = execForm(rest) ?? ['/bin/sh', '-c', rest];
        return;
      case 'RUN':
        return this.#run(rest, documents);
      case 'COPY':
      case 'ADD':
        return this.#copy(execForm(rest) ?? words(rest, known), flags, documents);
      default:
        if (!RECORDED.has(name)) throw new DockerfileError(`unknown instruction: ${name}`);
    }
  }

  #from(image: string): void {
    this.#stages++;
    if (this.#stages > 1) {
      this.#input.log(' ---> a further stage goes on with the files of the one before\n');
    }
    this.#input.log(` ---> ${image} is stood in for by the files of this machine\n`);
    // Images of Python have a pip that installs for all; a distribution's refuses without this.
    this.#env = { ...this.#env, PIP_BREAK_SYSTEM_PACKAGES: '1', PIP_ROOT_USER_ACTION: 'ignore' };
  }

  async #run(rest: string, documents: readonly string[]): Promise<void> {
    const inline = /^<<-?\s*["']?\w+["']?\s*$/.test(rest.trim()) ? documents[0] : undefined;
    const tail = inline === undefined ? documents.map((text, i) => ending(rest, text, i)) : [];
    const argv = execForm(rest) ?? ['/bin/sh', '-c', inline ?? [rest, ...tail].join('\n')];
    const code = await this.#spawn(argv, this.#workDir ?? '/', this.#user ?? 'root');
    if (code !== 0) {
      throw new DockerfileError(`The command '${rest}' returned a non-zero code: ${code}`);
    }
  }

  /** Accounts are known by name; a number is looked up. */
  async #account(user: string): Promise<string> {
    if (!/^\d+$/.test(user)) return user;
    const { files } = this.#input.sandbox;
    const { stream } = await files.read('/etc/passwd');
    const accounts = await textOf(stream);
    const line = accounts.split('\n').find((one) => one.split(':')[2] === user);
    if (line === undefined) throw new DockerfileError(`no account has the number ${user}`);
    return line.split(':')[0] ?? user;
  }

  async #copy(
    all: readonly string[],
    flags: Readonly<Record<string, string>>,
    documents: readonly string[],
  ): Promise<void> {
    if (flags.from !== undefined) {
      throw new DockerfileError('COPY --from needs the image it copies from, which is not here');
    }
    const target = all.at(-1) ?? '';
    const named = all.slice(0, -1);
    if (named.some((source) => /^https?:/.test(source))) {
      throw new DockerfileError('ADD from an address is not supported here; use RUN curl');
    }
    for (const [index, content] of documents.entries()) {
      await this.#input.sandbox.files.write(`${CONTEXT}/${hereName(named, index)}`, content, {
        user: 'root',
      });
    }
    const files = named.map((source) => this.#expand(source.replace(/^<<-?\s*/, '')));
    const sources = (await Promise.all(files)).flat();
    if (sources.length === 0) throw new DockerfileError(`${named.join(' ')}: no such file`);
    const path = posix.resolve(this.#workDir ?? '/', target);
    const isFolder = target.endsWith('/') || target === '.' || sources.length > 1;
    const settings = [path, isFolder ? '1' : '0', flags.chown ?? '', flags.chmod ?? ''];
    await this.#must(['/bin/sh', '-c', COPY, 'copy', ...settings, ...sources], CONTEXT);
  }

  /** Files of the context that a source means, relative to it. */
  async #expand(source: string): Promise<string[]> {
    const path = `./${posix.normalize(`/${source}`).slice(1)}`;
    const { files } = this.#input.sandbox;
    const at = { cwd: CONTEXT, user: 'root' };
    if (!/[*?[]/.test(path)) return (await files.exists(path, at)) ? [path] : [];
    const dir = posix.dirname(path);
    const isMatch = matches(posix.basename(path));
    const entries = await files.list(dir, at).catch(() => []);
    return entries.filter(({ name }) => isMatch(name)).map(({ name }) => `./${dir}/${name}`);
  }

  async #must(argv: readonly string[], cwd: string): Promise<void> {
    const code = await this.#spawn(argv, cwd, 'root');
    if (code !== 0) throw new DockerfileError(`${argv[0]} failed with code ${code}`);
  }

  async #spawn(argv: readonly string[], cwd: string, user: string): Promise<number> {
    const process = await this.#input.sandbox.spawn({
      argv: ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...argv],
      cwd,
      user,
      env: { DEBIAN_FRONTEND: 'noninteractive', ...this.#args, ...this.#env },
    });
    process.stderr.resume();
    process.stdout.setEncoding('utf8');
    for await (const chunk of process.stdout) this.#input.log(chunk as string);
    return (await process.exit).exitCode;
  }
}

/** A here-document that is copied is a file by the name of its tag. */
function hereName(named: readonly string[], index: number): string {
  return named.filter((source) => source.startsWith('<<'))[index]?.replace(/^<<-?\s*/, '') ?? 'EOF';
}

/** The lines of a here-document as the shell wants them, with the tag that ends it. */
function ending(rest: string, document: string, index: number): string {
  const tag = [...rest.matchAll(/<<-?\s*["']?(\w+)/g)][index]?.[1] ?? 'EOF';
  return `${document}${tag}`;
}
