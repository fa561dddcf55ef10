#!/usr/bin/env node
// Plain JavaScript that old releases of Node can run, so that they can be told to update.
import module from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: cubeshift needs Node.js 20.19 or newer, this is ${process.versions.node}\n`,
  );
  process.exitCode = 2;
} else {
  module.enableCompileCache?.();
  const { run } = await import('../dist/cli.js');
  await run();
}
