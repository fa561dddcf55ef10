/** `@cubeshift/sandbox/cube`: sandboxes on CubeSandbox. */
export { Gateway, type GatewayOptions } from './gateway.ts';
export type { CubeProviderOptions } from './options.ts';
export { CubeProvider } from './provider.ts';
export { CubeSandbox } from './sandbox.ts';
export type { CubeServer } from './server.ts';
