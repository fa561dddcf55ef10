/** `@cubeshift/sandbox/daytona`: sandboxes on Daytona. */
export type { DaytonaProviderOptions } from './options.ts';
export { DaytonaProvider } from './provider.ts';
export { DaytonaSandbox } from './sandbox.ts';
