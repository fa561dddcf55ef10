/** The cases that say whether a provider behaves as the others do. They need no test runner. */
export type {
  Conformance,
  ConformanceCase,
  ConformanceOptions,
  Evidence,
} from './options.ts';
export { conformance } from './run.ts';
export type { TestRunner } from './runner.ts';
export { describeProvider } from './runner.ts';
