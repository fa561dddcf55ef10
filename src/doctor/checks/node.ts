import { type Check, type Outcome, ok, problem, skipped, warning } from '../check.ts';
import type { Machine } from '../machine.ts';

/** Where a node keeps its sandboxes. Whoever has it is a node. */
export const CUBELET = '/data/cubelet';
const KVM = '/dev/kvm';
const OLDEST_GLIBC = [2, 31] as const;

/** Wrong on a node is a problem; on a machine that may be none, something to know. */
function wrong(machine: Machine, found: string, fix: string): Outcome {
  return machine.exists(CUBELET)
    ? problem(found, fix)
    : warning(`${found}, which matters if this is to be a node of CubeSandbox`, fix);
}

const kvm: Check<Machine> = {
  name: 'kvm',
  run(machine) {
    if (!machine.exists(KVM)) {
      return wrong(machine, `there is no ${KVM}`, 'modprobe kvm_intel, kvm_amd or kvm_pvm');
    }
    if (machine.isUsable(KVM)) return ok(`${KVM} can be used`);
    return wrong(
      machine,
      `${KVM} is not for this user`,
      'sudo usermod -aG kvm "$USER", or be root',
    );
  },
};

const processor: Check<Machine> = {
  name: 'processor',
  run(machine) {
    const flag = /\b(vmx|svm)\b/.exec(machine.read('/proc/cpuinfo'))?.[1];
    if (flag !== undefined) return ok(`it can run virtual machines (${flag})`);
    if (/^kvm_pvm\b/m.test(machine.read('/proc/modules'))) return ok('by the module kvm_pvm');
    // Processors of other makers have no such word, and KVM is there or it is not.
    if (!/\bflags\b/.test(machine.read('/proc/cpuinfo')))
      return skipped('not told on this processor');
    return wrong(
      machine,
      'it has neither vmx nor svm, and kvm_pvm is not loaded',
      'Turn virtualisation on in the firmware, or install the PVM kernel of CubeSandbox',
    );
  },
};

const glibc: Check<Machine> = {
  name: 'glibc',
  run(machine) {
    const { glibc: version } = machine;
    const fix = 'Use a newer distribution, such as Ubuntu 22.04';
    if (version === undefined) return wrong(machine, 'this system has another C library', fix);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [least, leastMinor] = OLDEST_GLIBC;
    if (major > least || (major === least && minor >= leastMinor)) return ok(version);
    return wrong(machine, `${version} is older than ${OLDEST_GLIBC.join('.')}`, fix);
  },
};

const disk: Check<Machine> = {
  name: 'disk',
  async run(machine) {
    if (!machine.exists(CUBELET)) return skipped(`there is no ${CUBELET} here`);
    const type = fileSystemOf(CUBELET, machine.read('/proc/self/mounts'));
    const fix = 'Make it anew: mkfs.xfs -m reflink=1 <device>, mounted on /data/cubelet';
    if (type !== 'xfs')
      return problem(`${CUBELET} is on ${type ?? 'an unknown disk'}, not XFS`, fix);
    const told = await machine.output('xfs_info', CUBELET);
    if (told === undefined) {
      return warning(
        `${CUBELET} is on XFS; whether with reflink cannot be told`,
        'Install xfsprogs',
      );
    }
    if (/\breflink=1\b/.test(told)) return ok(`${CUBELET} is on XFS with reflink`);
    return problem(`${CUBELET} is on XFS without reflink`, fix);
  },
};

/** The file system a path is on, by the longest mount point above it; the last of equals counts. */
export function fileSystemOf(path: string, mounts: string): string | undefined {
  let best = { at: '', type: undefined as string | undefined };
  for (const line of mounts.split('\n')) {
    const [, at = '', type] = line.split(' ');
    const isAbove = at === '/' || path === at || path.startsWith(`${at}/`);
    if (at !== '' && isAbove && at.length >= best.at.length) best = { at, type };
  }
  return best.type;
}

export const NODE_CHECKS: readonly Check<Machine>[] = [kvm, processor, glibc, disk];
