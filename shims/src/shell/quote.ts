/**
 * An argument as one word for a POSIX shell, whatever is in it.
 *
 * @example
 * sandbox.exec(`grep -rn -e ${quote(pattern)} ${quote(folder)}`);
 */
export function quote(argument: string): string {
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/**
 * A path as one absolute word, so that it cannot be taken for an option. Relative ones start where the
 * command runs.
 */
export function quotePath(path: string): string {
  return path.startsWith('/') ? quote(path) : `"$PWD"/${quote(path)}`;
}
