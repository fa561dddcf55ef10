/**
 * Shell functions that end a process and all it has started: the backend's own way ends a shell alone,
 * whose children go on. Stopped first, none of them can start another meanwhile. It needs no more than
 * /proc, and fails for a process that is not there.
 */
export const KILL_TREE = `
children() {
  for stat in /proc/[0-9]*/stat; do
    IFS= read -r line < "$stat" 2>/dev/null || continue
    rest=\${line##*) }
    rest=\${rest#* }
    if [ "\${rest%% *}" = "$1" ]; then
      child=\${stat#/proc/}
      echo "\${child%/stat}"
    fi
  done
}
kill_tree() {
  kill -STOP "$1" 2>/dev/null || return 1
  for child in $(children "$1"); do (kill_tree "$child"); done
  kill -KILL "$1" 2>/dev/null
}
`;
