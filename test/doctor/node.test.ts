import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Outcome, runChecks } from '../../src/doctor/check.ts';
import { fileSystemOf, NODE_CHECKS } from '../../src/doctor/checks/node.ts';
import { type Machine, thisMachine } from '../../src/doctor/machine.ts';

const NODE = {
  'dev/kvm': '',
  'proc/cpuinfo': 'flags\t\t: fpu vmx sse\n',
  'proc/self/mounts': '/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 /data xfs rw 0 0\n',
  'data/cubelet/x': '',
};

/** What is found on a machine with these files. */
async function found(
  files: Readonly<Record<string, string>>,
  changes: Partial<Machine> = {},
): Promise<Record<string, Outcome>> {
  const root = mkdtempSync(join(tmpdir(), 'cubeshift-doctor-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
    chmodSync(join(root, name), 0o600);
  }
  const output = (): Promise<string> => Promise.resolve('crc=1 finobt=1, reflink=1 bigtime=1');
  const machine = { ...thisMachine(root), glibc: '2.36', output, ...changes };
  const results = await runChecks(NODE_CHECKS, machine);
  return Object.fromEntries(results.map(({ name, ...outcome }) => [name, outcome]));
}

test('a node that has everything', async () => {
  expect(await found(NODE)).toEqual({
    kvm: { status: 'ok', found: '/dev/kvm can be used' },
    processor: { status: 'ok', found: 'it can run virtual machines (vmx)' },
    glibc: { status: 'ok', found: '2.36' },
    disk: { status: 'ok', found: '/data/cubelet is on XFS with reflink' },
  });
});

test('what is wrong on a node is a problem, elsewhere something to know', async () => {
  const { 'data/cubelet/x': _, 'dev/kvm': __, ...elsewhere } = NODE;
  expect(await found(elsewhere)).toMatchObject({
    kvm: { status: 'warning', fix: expect.stringContaining('modprobe') },
    disk: { status: 'skipped' },
  });
  const { 'dev/kvm': ___, ...node } = NODE;
  expect(await found(node)).toMatchObject({ kvm: { status: 'problem' } });
  expect(await found(NODE, { isUsable: () => false })).toMatchObject({
    kvm: { status: 'problem', found: '/dev/kvm is not for this user' },
  });
});

test('a processor without the flags, with the module of PVM or not', async () => {
  const plain = { ...NODE, 'proc/cpuinfo': 'flags\t\t: fpu sse\n' };
  expect(await found(plain)).toMatchObject({ processor: { status: 'problem' } });
  const pvm = { ...plain, 'proc/modules': 'kvm 1 0 - Live\nkvm_pvm 16384 0 - Live 0x0\n' };
  expect(await found(pvm)).toMatchObject({ processor: { found: 'by the module kvm_pvm' } });
  const arm = { ...NODE, 'proc/cpuinfo': 'Features\t: fp asimd\n' };
  expect(await found(arm)).toMatchObject({ processor: { status: 'skipped' } });
});

test.each([
  ['2.31', 'ok'],
  ['2.30', 'problem'],
  ['3.0', 'ok'],
  [undefined, 'problem'],
])('glibc %s is %s', async (glibc, status) => {
  expect(await found(NODE, { glibc })).toMatchObject({ glibc: { status } });
});

test('a disk that is not XFS, without reflink, or that cannot be asked', async () => {
  const ext4 = { ...NODE, 'proc/self/mounts': '/dev/sda1 / ext4 rw 0 0\n' };
  expect(await found(ext4)).toMatchObject({ disk: { status: 'problem' } });
  const without = { output: () => Promise.resolve('reflink=0') };
  expect(await found(NODE, without)).toMatchObject({ disk: { status: 'problem' } });
  const silent = { output: () => Promise.resolve(undefined) };
  expect(await found(NODE, silent)).toMatchObject({ disk: { status: 'warning' } });
});

test('the file system is that of the longest mount point, the last of equals', () => {
  const mounts =
    'a / ext4\nb /data xfs\nc /database btrfs\nd /data/cubelet ext4\ne /data/cubelet xfs\n';
  expect(fileSystemOf('/data/cubelet', mounts)).toBe('xfs');
  expect(fileSystemOf('/data/other', mounts)).toBe('xfs');
  expect(fileSystemOf('/etc', mounts)).toBe('ext4');
  expect(fileSystemOf('/etc', '')).toBeUndefined();
});
