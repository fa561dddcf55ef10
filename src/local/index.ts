/** The local server for programs: `import { startLocal } from 'cubeshift/local'`. */
export type { CubeVersion } from './e2b/index.ts';
export { type Clock, ManualClock, type MovableClock } from './engine/clock.ts';
export { EngineError } from './engine/errors.ts';
export type { IsolationReport } from './engine/isolation/types.ts';
export type { FaultEvent, FaultPlan, FaultRule, FaultStatus, Faults } from './faults/faults.ts';
export type { Latency } from './faults/latency.ts';
export { type LocalEndpoint, type LocalOptions, type LocalServer, startLocal } from './start.ts';
