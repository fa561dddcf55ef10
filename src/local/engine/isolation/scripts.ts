/**
 * The fixed shell programs of the engine. Data reaches them as arguments or through variables that
 * are only ever expanded inside quotes; none of it becomes program text.
 */

/** PATH of the engine's own helpers and of processes in sandboxes. */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const OVERLAY = 'redirect_dir=on,index=off,metacopy=off,volatile';

/** Mount options of a sandbox's root; all paths are relative to the engine's folder. */
export function overlayOptions(lower: readonly string[], upper: string, work: string): string {
  return `lowerdir=${lower.join(':')},upperdir=${upper},workdir=${work},${OVERLAY}`;
}

/** How a helper that stays reports to the server: its number as the host counts, at once … */
const REPORT = `read -r pid _ < /proc/self/stat
echo "$pid" >&3`;

/** … and that it is ready. */
const READY = `echo ready >&3
exec 3>&-`;

/**
 * Builds what all sandboxes share and keeps it mounted while the engine lives: the host's root
 * under a layer that hides what is private.
 * Arguments: engine folder, overlay options, paths to hide, `--`, then folders as path, mode, owner.
 *
 * A folder made where something was hidden becomes opaque: overlayfs does the marking itself, so no
 * tool for extended attributes is needed. The shared root is a mount of its own because overlayfs
 * refuses layers that lie inside each other, and snapshots lie inside the host's root.
 */
export const BASE = `
set -eu
umask 022
${REPORT}
cd "$1"
options=$2
shift 2
while [ "$1" != -- ]; do mknod "base/$1" c 0 0; shift; done
shift
mount -t overlay -o "$options" overlay root
cd root
while [ $# -gt 0 ]; do
  mkdir -p "$1"
  chmod "$2" "$1"
  case $3 in
    0) ;;
    *)
      if [ -d etc/skel ]; then cp -R etc/skel/. "$1/"; fi
      chown -R "$3:$3" "$1"
      ;;
  esac
  shift 3
done
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
cd ..
mount -o remount,ro root
${READY}
exec cat > /dev/null
`;

/**
 * Process 1 of a sandbox; `prepare` is program text of the engine's own that runs beside the mounts.
 * Arguments: engine folder, overlay options, limit of process numbers or 0 where the kernel has only
 * one for the whole host, then mounts as host folder, path, `rw` or `ro`. Mounts are made after the
 * change of root, so that links inside the sandbox cannot lead them out; the old root waits on /sys,
 * which a sandbox cannot replace.
 *
 * It ends as `cat` on a pipe from the server: when the server dies, the pipe ends, process 1 ends,
 * and the kernel kills whatever else is in the sandbox. With SIGCHLD ignored the kernel also reaps
 * the orphans that process 1 inherits.
 */
export const initOf = (prepare: string): string => `
set -eu
umask 022
${REPORT}
{ ${prepare}
} &
cd "$1"
options=$2
pids=$3
shift 3
mount -t overlay -o "$options" overlay mnt
cd mnt
mount -t proc -o nosuid,nodev,noexec proc proc
echo sandbox > proc/sys/kernel/hostname
if [ "$pids" != 0 ]; then echo "$pids" > proc/sys/kernel/pid_max; fi
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts
pivot_root . sys
cd /
while [ $# -gt 0 ]; do
  mkdir -p -- "$2"
  mount --bind -- "/sys$1" "$2"
  if [ "$3" = ro ]; then mount -o remount,bind,ro -- "$2"; fi
  shift 3
done
umount -l /sys
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs /sys
mount -o bind,ro /proc/sys /proc/sys
wait "$!"
${READY}
exec env --ignore-signal=CHLD cat > /dev/null
`;

/**
 * Opens the files through which a process joins its control group, then becomes a program. It does
 * not join itself: the helper it becomes stays outside. Arguments: two files, the program.
 */
export const OPEN_GROUP = `
exec 4> "$1" 5> "$2"
shift 2
exec "$@"
`;

/** Joins what the script above opened, before anything of the user runs. */
const JOIN = `
if [ -e /proc/self/fd/4 ]; then echo 0 >&4; echo 0 >&5; exec 4>&- 5>&-; fi
`;

/** Last step before a user's program: reports the process number, or why there is none. */
export const LAUNCH = `${JOIN}umask 022
cd "$1" 2>/dev/null || { if [ -d "$1" ]; then echo denied >&3; else echo missing >&3; fi; exit 126; }
shift
unset OLDPWD
echo "ok $$" >&3
exec 3>&-
exec "$@"
`;

/** The same for a terminal: \`script\` opens it and runs the program given as first argument. */
export const LAUNCH_PTY = `${JOIN}umask 022
cd "$1" 2>/dev/null || { if [ -d "$1" ]; then echo denied >&3; else echo missing >&3; fi; exit 126; }
exec script -qfe -c "$2" /dev/null
`;

/**
 * Runs on the new terminal. \`script\` takes no arguments for its command, so they come as numbered
 * variables; what runs in the end gets an environment made from scratch.
 */
export const ON_PTY = `
stty echo rows "$ROWS" cols "$COLS"
echo "ok $$ $(tty)" >&3
exec 3>&-
i=0
set --
while [ "$i" -lt "$COUNT" ]; do
  eval "set -- \\"\\$@\\" \\"\\$ARG_$i\\""
  i=$((i + 1))
done
exec "$@"
`;

/** Keeps the namespaces it was started in. */
export const HOLD = `
${REPORT}
${READY}
exec cat > /dev/null
`;

/** Ends what is left of a directory engine once its server is gone. Argument: the engine's mark. */
export const GUARD = `
${REPORT}
${READY}
cat > /dev/null
for round in 1 2 3; do
  grep -lzs "^CUBESHIFT_SANDBOX=$1-" /proc/[0-9]*/environ | while read -r file; do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" 2> /dev/null || :
  done
done
`;
