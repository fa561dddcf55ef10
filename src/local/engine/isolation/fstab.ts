/** A mount: what, where, the kind of file system, and options. `where` is a path below the root-to-be. */
export type Mount = readonly [what: string, where: string, type: string, options: string];

/**
 * A table of mounts to be made below a folder, in order, by one `mount --all`: starting a program for
 * each is most of what a sandbox's start would cost.
 */
export function fstab(folder: string, mounts: readonly Mount[]): string {
  return mounts
    .map(([what, where, ...rest]) => [what, `${folder}/${where}`, ...rest].map(field).join(' '))
    .map((line) => `${line}\n`)
    .join('');
}

/** Blanks and backslashes are written as octal codes. */
function field(text: string): string {
  return text.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
