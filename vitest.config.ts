import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const shims = fileURLToPath(new URL('shims/src', import.meta.url));

export default defineConfig({
  // The workspace's own sources, not what was built of them last.
  resolve: {
    alias: [
      { find: /^@cubeshift\/sandbox$/, replacement: `${shims}/index.ts` },
      { find: /^@cubeshift\/sandbox\/conformance$/, replacement: `${shims}/conformance/index.ts` },
      { find: /^@cubeshift\/sandbox\/(.+)$/, replacement: `${shims}/providers/$1/index.ts` },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/fixtures/**'],
    testTimeout: 60_000,
    // One more than the cores of the smallest machine the suite is promised to run on: what takes long
    // waits for processes most of the time.
    maxWorkers: 3,
  },
});
