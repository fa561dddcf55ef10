import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SANDBOX_USERS, shellHere } from '../users.ts';
import { canRead, takeApart } from './parts.ts';
import { PATH, SUDO } from './scripts.ts';

/** Folders of the host that sandboxes share. Anything else of its root is hidden. */
const SHARED = new Set('bin etc lib lib32 lib64 libx32 nix opt sbin usr var'.split(' '));

/** What package managers and alternatives need; the rest of /var/lib is data of the host. */
const SHARED_STATE = new Set(['alternatives', 'apk', 'apt', 'dpkg', 'pacman', 'rpm', 'ucf']);

/** Folders every sandbox has, empty at first: path, mode, owner. */
const EMPTY: readonly (readonly [string, number, number])[] = [
  ['boot', 0o755, 0],
  ['dev', 0o755, 0],
  ['dev/pts', 0o755, 0],
  ['dev/shm', 0o1777, 0],
  ['home', 0o755, 0],
  ...SANDBOX_USERS.map(({ home, uid }) => [home.slice(1), 0o750, uid] as const),
  ['media', 0o755, 0],
  ['mnt', 0o755, 0],
  ['proc', 0o555, 0],
  ['root', 0o700, 0],
  ['run', 0o755, 0],
  ['run/lock', 0o1777, 0],
  ['srv', 0o755, 0],
  ['sys', 0o555, 0],
  ['tmp', 0o1777, 0],
  ['var/backups', 0o755, 0],
  ['var/log', 0o755, 0],
  ['var/mail', 0o755, 0],
  ['var/spool', 0o755, 0],
  ['var/tmp', 0o1777, 0],
  ['workspace', 0o777, 0],
];

/** Files that make programs do with one owner of everything: path, lines, mode. */
const ONE_OWNER: readonly (readonly [string, readonly string[], number])[] = [
  ['etc/apt/apt.conf.d/99one-owner', ['APT::Sandbox::User "root";'], 0o644],
  ['usr/local/bin/sudo', [SUDO], 0o755],
];

/** Files of which dpkg makes hard links, which needs them to be one's own. */
const LINKED = ['status', 'diversions', 'statoverride'].map((name) => `var/lib/dpkg/${name}`);

/** Numbers from here on are people of the host. */
const FIRST_PERSON = 1000;
const NOBODY = 65534;

/** Arguments of the base script. */
export interface BaseLayout {
  hide: string[];
  /** Folders of the host that get an overlay each, relative to its root. */
  parts: string[];
  make: string[];
}

export interface BaseOptions {
  /** Hidden wherever it is. */
  engineDir: string;
  /** Asked for names instead of the host's own resolver. */
  resolver?: string;
  /** See `Rights`: then the host's root can only be had in parts, too. */
  hasOneOwner: boolean;
}

/**
 * Decides what of the host a sandbox sees, and writes the files that replace the host's own into
 * `base`, the layer above the host's root.
 */
export function writeBase(base: string, options: BaseOptions): BaseLayout {
  const { engineDir, resolver, hasOneOwner } = options;
  const hide = new Set<string>();
  for (const name of readdirSync('/')) if (!SHARED.has(name)) hide.add(name);
  for (const [path] of EMPTY) {
    const isTop = EMPTY.every(([other]) => !path.startsWith(`${other}/`));
    if (isTop && stat(`/${path}`) !== undefined) hide.add(path);
  }
  for (const name of names('/var/lib')) if (!SHARED_STATE.has(name)) hide.add(`var/lib/${name}`);
  for (const path of privateFiles('/etc', hide)) hide.add(path.slice(1));
  const own = engineDir.slice(1);
  if (!isIn(own, hide)) hide.add(own);

  let parts = ['.'];
  if (hasOneOwner) {
    // Locks and the like, which cannot be opened but can be made anew.
    for (const path of privateFiles('/var', hide)) hide.add(path.slice(1));
    parts = takeApart(base, (path) => !isIn(path.slice(1), hide));
    for (const path of hide) if (!isIn(path, parts)) hide.delete(path);
  }
  const written = writeEtc(base, resolver, hasOneOwner);
  for (const path of written) hide.delete(path);
  for (const path of hide) makeParents(base, path);
  addPython(base);
  return {
    hide: [...hide],
    parts,
    make: EMPTY.flatMap(([path, mode, owner]) => [path, mode.toString(8), `${owner}`]),
  };
}

/** Debian has `python3` only; programs written for the services' own images say `python`. */
function addPython(base: string): void {
  const find = (name: string): string | undefined =>
    PATH.split(':')
      .map((dir) => join(dir, name))
      .find((file) => existsSync(file));
  const target = find('python3');
  if (target === undefined || find('python') !== undefined) return;
  const link = 'usr/local/bin/python';
  makeParents(base, link);
  symlinkSync(target, join(base, link));
}

function isIn(path: string, folders: Iterable<string>): boolean {
  return [...folders].some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** What others may not read on the host is nobody's business in a sandbox, not even root's. */
function* privateFiles(dir: string, hidden: ReadonlySet<string>): Generator<string> {
  for (const name of names(dir)) {
    const path = join(dir, name);
    if (hidden.has(path.slice(1))) continue;
    const stats = stat(path);
    if (stats === undefined || stats.isSymbolicLink()) continue;
    const needed = stats.isDirectory() ? 0o5 : 0o4;
    if ((stats.mode & needed) !== needed) yield path;
    else if (stats.isDirectory()) yield* privateFiles(path, hidden);
  }
}

function writeEtc(base: string, resolver: string | undefined, hasOneOwner: boolean): string[] {
  const shell = shellHere();
  const accounts = SANDBOX_USERS.map(
    ({ name, uid, gid, home }) => `${name}:x:${uid}:${gid}::${home}:${shell}`,
  );
  const passwd = [...system(read('/etc/passwd'), /^(?:user|daytona):/), ...accounts].map((line) =>
    line.startsWith('root:') ? `root:x:0:0:root:/root:${shell}` : line,
  );
  const groups = [
    ...system(read('/etc/group'), /^(?:user|daytona):/).map((line) => line.replace(/[^:]*$/, '')),
    ...SANDBOX_USERS.map(({ name, gid }) => `${name}:x:${gid}:`),
  ];
  const sudoers = ['root', ...SANDBOX_USERS.map(({ name }) => name)].map(
    (name) => `${name} ALL=(ALL:ALL) NOPASSWD: ALL`,
  );
  const files: readonly (readonly [string, readonly string[], number])[] = [
    ['etc/passwd', passwd, 0o644],
    ['etc/group', groups, 0o644],
    ['etc/shadow', passwd.map((line) => `${line.split(':')[0]}:*:19000:0:99999:7:::`), 0o640],
    ['etc/gshadow', groups.map((line) => `${line.split(':')[0]}:*::`), 0o640],
    ['etc/sudoers', sudoers, 0o440],
    ['etc/hostname', ['sandbox'], 0o644],
    ...(resolver === undefined
      ? []
      : [['etc/resolv.conf', [`nameserver ${resolver}`], 0o644] as const]),
    ...(hasOneOwner ? ONE_OWNER : []),
    ['etc/hosts', ['127.0.0.1 localhost sandbox', '::1 localhost'], 0o644],
  ];
  for (const [path, lines, mode] of files) {
    makeParents(base, path);
    remove(join(base, path));
    writeFileSync(join(base, path), `${lines.join('\n')}\n`);
    chmodSync(join(base, path), mode);
  }
  const written = files.map(([path]) => path);
  // Often a link into /run, which is hidden. A host without one has none to give.
  const copied = [
    ...(resolver === undefined ? ['etc/resolv.conf'] : []),
    ...(hasOneOwner ? LINKED : []),
  ];
  return [...written, ...copied.filter((path) => copy(base, path))];
}

/** Takes over a file as it is now, links followed; false when the host has none. */
function copy(base: string, path: string): boolean {
  if (!canRead(join('/', path))) return false;
  makeParents(base, path);
  remove(join(base, path));
  copyFileSync(join('/', path), join(base, path));
  return true;
}

/** Accounts or groups of the system itself, not of people, nor those about to be added. */
function system(text: string, replaced: RegExp): string[] {
  return text.split('\n').filter((line) => {
    const id = Number(line.split(':')[2]);
    return line !== '' && !replaced.test(line) && (id < FIRST_PERSON || id === NOBODY);
  });
}

/** Folders above an entry of the layer, with the modes they have on the host. */
function makeParents(base: string, path: string): void {
  const parent = dirname(path);
  if (parent === '.') return;
  makeParents(base, parent);
  try {
    mkdirSync(join(base, parent));
    chmodSync(join(base, parent), (stat(`/${parent}`)?.mode ?? 0o755) & 0o7777);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** What may be there already as a copy or a link, where /etc was taken apart. */
function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

function names(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function stat(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
