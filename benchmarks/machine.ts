import { cpus, loadavg, release, totalmem } from 'node:os';

/** What figures were measured on. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  /** Load average of the last minute, before and after. */
  load: [before: number, after: number];
}

/** Facts about this machine; `loadBefore` was taken when the run began. */
export function machineFacts(loadBefore: number): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model ?? 'unknown processor',
    cores: processors.length,
    memoryGb: totalmem() / 1e9,
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.versions.node,
    load: [loadBefore, loadavg()[0] ?? 0],
  };
}

/** One line for people. */
export function describeMachine({ cpu, cores, memoryGb, system, node, load }: Machine): string {
  const loads = load.map((value) => value.toFixed(1)).join(' before, ');
  return `${cpu}, ${cores} cores, ${memoryGb.toFixed(0)} GB, ${system}, Node ${node}, load ${loads} after`;
}

/** Says on stderr what is going on. */
export function progress(line: string): void {
  console.error(`${(performance.now() / 1000).toFixed(1).padStart(7)} s  ${line}`);
}
