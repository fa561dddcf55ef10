import { existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ignore from 'ignore';
import { compare } from '../compare.ts';
import type { SkippedFile } from '../model/report.ts';
import { ScanInputError } from './errors.ts';
import { findWorkTree, gitList } from './git.ts';
import { commonFolder, dirOf, inside, nameOf, toSlashes, upwards } from './paths.ts';
import { walk } from './walk.ts';

export interface ListOptions {
  /** Patterns in `.gitignore` syntax, relative to {@link FileList.root}. */
  ignore: readonly string[];
}

export interface FileList {
  /** Absolute path. The git work tree the paths are in, else their common folder. */
  root: string;
  /** Relative to the root, forward slashes, sorted by code unit, unique. */
  files: string[];
  /** Manifests, lockfiles and compiler configurations above the paths: they apply to the files too. */
  above: string[];
  skipped: SkippedFile[];
  /** False when any part of the list came from walking folders instead of from git. */
  git: boolean;
}

/** One path argument, resolved. */
interface Input {
  path: string;
  isFile: boolean;
  /** The git work tree it is in. */
  top: string | undefined;
}

/** Collects names relative to one root, whatever folder they were listed from. */
class Collector {
  readonly files: string[] = [];
  readonly skipped: SkippedFile[] = [];
  git = true;
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Lists `paths` (relative to `top`; none means everything) and the repositories nested in it. */
  async addWorkTree(top: string, paths: readonly string[]): Promise<void> {
    const listing = await gitList(top, paths);
    if (listing === undefined) {
      this.git = false;
      for (const path of paths.length === 0 ? [''] : paths) this.addWalk(top, path);
      return;
    }
    const at = this.#prefix(top);
    for (const file of listing.files) this.files.push(at === '' ? file : `${at}/${file}`);
    for (const file of listing.symlinks) this.#symlink(inside(at, file));
    for (const dir of listing.closed) {
      const file = inside(at, dir);
      this.skipped.push({ file, reason: 'unreadable', incomplete: true, detail: 'EACCES' });
    }
    for (const dir of listing.nested) {
      // A submodule that is not checked out is an empty folder: git would list our tree instead.
      const nested = join(top, dir);
      if (isModules(`${dir}/`) || !existsSync(join(nested, '.git'))) continue;
      await this.addWorkTree(nested, []);
    }
  }

  addWalk(top: string, start: string): void {
    const at = this.#prefix(top);
    const found = walk(top, start);
    for (const file of found.files) this.files.push(inside(at, file));
    for (const skip of found.skipped) this.skipped.push({ ...skip, file: inside(at, skip.file) });
  }

  finish(patterns: readonly string[]): Omit<FileList, 'above'> {
    const rules = patterns.length === 0 ? undefined : ignore().add([...patterns]);
    const keep = (file: string) => !isModules(file) && !(file !== '' && rules?.ignores(file));
    const skipped = this.skipped.filter((skip) => keep(skip.file));
    const files: string[] = [];
    let last: string | undefined;
    for (const file of this.files.sort()) {
      if (file === last || !keep(file)) continue;
      last = file;
      if (!file.includes('\ufffd') || existsSync(join(this.root, file))) files.push(file);
      else skipped.push(undecodable(file));
    }
    return { root: this.root, files, skipped: skipped.sort(byFile), git: this.git };
  }

  #prefix(top: string): string {
    return top === this.root ? '' : toSlashes(relative(this.root, top));
  }

  #symlink(file: string): void {
    this.skipped.push({ file, reason: 'symlink', incomplete: false });
  }
}

/**
 * Lists the files below `paths` (relative to `cwd`), with git where it can tell, else by walking.
 * A path the caller names is listed even when an ignore rule of the repository covers it.
 * @throws {ScanInputError} when a path does not exist.
 */
export async function listFiles(
  cwd: string,
  paths: readonly string[],
  options: ListOptions,
): Promise<FileList> {
  const inputs = (paths.length === 0 ? ['.'] : paths).map((path) => readInput(cwd, path));
  const root = inputs
    .map(({ path, isFile, top }) => top ?? (isFile ? dirname(path) : path))
    .reduce(commonFolder);
  const collector = new Collector(root);
  for (const top of new Set(inputs.map((input) => input.top))) {
    const members = inputs.filter((input) => input.top === top);
    if (top === undefined) collector.git = false;
    else await addGitInputs(collector, top, members);
    for (const { path, isFile } of members) {
      // Also reached for named paths that git ignores: naming them is asking for them.
      const name = toSlashes(relative(root, path));
      if (isFile) collector.files.push(name);
      else if (top === undefined) collector.addWalk(path, '');
      else if (path !== top && !collector.files.some((file) => file.startsWith(`${name}/`))) {
        collector.addWalk(path, '');
      }
    }
  }
  const list = collector.finish(options.ignore);
  return { ...list, above: filesAbove(inputs, list) };
}

const APPLIES_BELOW =
  /^(?:package\.json|(?:ts|js)config.*\.json|deno\.jsonc?|lerna\.json|pnpm-workspace\.yaml|\.yarnrc\.yml|.*lock.*\.(?:json|ya?ml)|(?:yarn|deno|bun)\.lock|npm-shrinkwrap\.json)$/;

/** What a scan of a part of a repository needs to know of the rest. */
function filesAbove(inputs: readonly Input[], { root, files }: Omit<FileList, 'above'>): string[] {
  const folders = new Set<string>();
  for (const { path, isFile } of inputs) {
    const name = toSlashes(relative(root, path));
    if (name === '') continue;
    for (const folder of upwards(dirOf(name))) folders.add(folder);
    if (!isFile) folders.delete(name);
  }
  if (folders.size === 0) return [];
  const listed = new Set(files);
  return [...folders]
    .flatMap((folder) => namesIn(join(root, folder)).map((name) => inside(folder, name)))
    .filter((file) => APPLIES_BELOW.test(nameOf(file)) && !listed.has(file))
    .sort();
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

async function addGitInputs(collector: Collector, top: string, inputs: Input[]): Promise<void> {
  const folders = inputs.filter((input) => !input.isFile).map((input) => input.path);
  if (folders.length === 0) return;
  const whole = folders.includes(top);
  const specs = whole ? [] : folders.map((folder) => toSlashes(relative(top, folder)));
  await collector.addWorkTree(top, specs);
}

function readInput(cwd: string, path: string): Input {
  // An unset variable in a script; it would stand for the current folder.
  if (path === '') throw new ScanInputError('A path is empty');
  const absolute = resolve(cwd, path);
  let real: string;
  let stats: Stats;
  try {
    // git names real paths, so a link in the path would make every relative name wrong.
    real = realpathSync.native(absolute);
    stats = statSync(real);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ScanInputError(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `No such file or folder: ${path}`
        : `Cannot read ${path} (${code ?? String(error)})`,
    );
  }
  const isFile = stats.isFile();
  if (!isFile && !stats.isDirectory()) {
    throw new ScanInputError(`Neither a file nor a folder: ${path}`);
  }
  return { path: real, isFile, top: findWorkTree(isFile ? dirname(real) : real) };
}

function isModules(file: string): boolean {
  return (
    file.includes('node_modules/') &&
    (file.startsWith('node_modules/') || file.includes('/node_modules/'))
  );
}

function undecodable(file: string): SkippedFile {
  const detail = 'the file name is not valid UTF-8';
  return { file, reason: 'unreadable', incomplete: true, detail };
}

function byFile(a: SkippedFile, b: SkippedFile): number {
  return compare(a.file, b.file);
}
