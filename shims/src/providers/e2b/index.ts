/** `@cubeshift/sandbox/e2b`: sandboxes on E2B. */
export type { E2BProviderOptions } from './options.ts';
export { E2BProvider } from './provider.ts';
export { E2BSandbox } from './sandbox.ts';
