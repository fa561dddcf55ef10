import type { SandboxProvider } from '../../shims/src/provider/provider.ts';
import { type Check, guarded, ok, type Result, runChecks, STATUSES, type Status } from './check.ts';
import { api } from './checks/api.ts';
import { clock } from './checks/clock.ts';
import { sandbox, tryOut, volumeDriver } from './checks/create.ts';
import { dataPlane } from './checks/data-plane.ts';
import { key } from './checks/key.ts';
import { NODE_CHECKS } from './checks/node.ts';
import { idle, network, pause } from './checks/rules.ts';
import { sdk } from './checks/sdk.ts';
import { server } from './checks/server.ts';
import { settings } from './checks/settings.ts';
import { template } from './checks/template.ts';
import { volumes } from './checks/volumes.ts';
import type { Configuration, Configured } from './configured.ts';
import { type Machine, thisMachine } from './machine.ts';
import { isLoopback, type ShownSettings, type Subject, shownSettings } from './subject.ts';
import { type Place, subjectOf } from './subjects.ts';

/** What was found about one provider. */
export interface ProviderReport {
  name: string;
  isDefault: boolean;
  /** `null` for a provider of the program's own. */
  backend: string | null;
  settings: ShownSettings | null;
  checks: Result[];
}

/** Everything that was found; as JSON it is printed like this. */
export interface DoctorReport {
  schemaVersion: 1;
  /** The configuration, if it is a file. */
  configuration: string | null;
  providers: ProviderReport[];
  /** About this machine as a node of CubeSandbox; `null` where it has no reason to be one. */
  node: Result[] | null;
  counts: Record<Status, number>;
}

export interface DoctorOptions extends Place {
  configuration: Configuration;
  /** Sandboxes may be made, which may cost. */
  create: boolean;
  machine?: Machine;
}

/** Checks all providers of a configuration, and this machine where it may be a node. */
export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  const { configuration, machine = thisMachine() } = options;
  const examined: { report: ProviderReport; subject?: Subject }[] = [];
  for (const one of configuration.providers) examined.push(await examine(one, options));
  const mayBeNode = examined.some(({ subject }) => subject && isOnNode(subject, machine));
  const node = mayBeNode ? await runChecks(NODE_CHECKS, machine) : null;
  const providers = examined.map(({ report }) => report);
  return {
    schemaVersion: 1,
    configuration: configuration.file ?? null,
    providers,
    node,
    counts: count([...providers.flatMap(({ checks }) => checks), ...(node ?? [])]),
  };
}

const COMMON = [settings, api, key, server, sdk, template, dataPlane, clock, volumes];
const OF_CUBE = [network, idle, pause];

function checksOf({ kind }: Subject, create: boolean): readonly Check<Subject>[] {
  return [
    ...COMMON,
    ...(kind === 'cube' ? OF_CUBE : []),
    ...(create ? [guarded(sandbox)] : []),
    ...(create && kind === 'cube' ? [guarded(volumeDriver)] : []),
  ];
}

async function examine(
  configured: Configured,
  { create, ...place }: DoctorOptions,
): Promise<{ report: ProviderReport; subject?: Subject }> {
  const { name, isDefault } = configured;
  if ('own' in configured) {
    const checks = await runChecks(ownChecks(create), configured.own);
    return { report: { name, isDefault, backend: null, settings: null, checks } };
  }
  const { backend, options } = configured;
  const subject = await subjectOf({ name, backend, options }, place);
  const checks = await runChecks(checksOf(subject, create), subject);
  const report = { name, isDefault, backend, settings: shownSettings(subject), checks };
  return { report, subject };
}

/** Of a provider that nothing is known about but what every provider can do. */
function ownChecks(create: boolean): Check<SandboxProvider>[] {
  const answers: Check<SandboxProvider> = {
    name: 'provider',
    async run(provider) {
      await provider.capabilities();
      return ok('a provider of the program itself, which answers');
    },
  };
  const own: Check<SandboxProvider> = { name: 'sandbox', needs: ['provider'], run: tryOut };
  return (create ? [answers, own] : [answers]).map(guarded);
}

/** Whether the machine may be the one that the sandboxes of a CubeSandbox run on. */
function isOnNode({ kind, isLocalServer, apiUrl }: Subject, machine: Machine): boolean {
  if (kind !== 'cube' || isLocalServer) return false;
  return machine.exists('/dev/kvm') || isLoopback(apiUrl.value);
}

function count(results: readonly Result[]): Record<Status, number> {
  const of = (status: Status): number => results.filter((one) => one.status === status).length;
  return Object.fromEntries(STATUSES.map((status) => [status, of(status)])) as Record<
    Status,
    number
  >;
}
