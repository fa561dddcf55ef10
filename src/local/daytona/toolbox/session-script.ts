/** A word for a shell, whatever is in it. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * What the session's shell reads for one command. `dir` holds `cmd.sh`; it is sourced, so that the
 * shell keeps its state. Two readers mark each line with its stream and write it to one log. The
 * command is over when they have seen the last writer go, so a process left in the background
 * without a redirection keeps it running, as with the service. `mark` and the exit code then go to
 * the shell's own output, where the server listens.
 */
export function commandScript(dir: string, isAsync: boolean, mark: string): string {
  const at = (name: string): string => quoted(`${dir}/${name}`);
  const label = (bytes: string, pipe: string): string =>
    `( while IFS= read -r line || [ -n "$line" ]; do printf '${bytes}%s\\n' "$line"; done < ${at(pipe)} ) >> ${at('log')} &`;
  // Opened for both directions, a pipe never ends; without input there is none to wait for.
  const input = isAsync ? `<> ${at('in')}` : '< /dev/null';
  return `
mkfifo ${at('out')} ${at('err')}${isAsync ? ` ${at('in')}` : ''}
${label('\\001\\001\\001', 'out')}
_cs_out=$!
${label('\\002\\002\\002', 'err')}
_cs_err=$!
{ . ${at('cmd.sh')}; } ${input} > ${at('out')} 2> ${at('err')}
_cs_code=$?
wait "$_cs_out" "$_cs_err"
printf '%s %s\\n' ${quoted(mark)} "$_cs_code"
`;
}
