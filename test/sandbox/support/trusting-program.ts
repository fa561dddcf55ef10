import { createProvider } from '../../../shims/src/index.ts';

/** Uses a sandbox on the backend whose options are its argument, and tells what came of it. */
const provider = createProvider(JSON.parse(process.argv[2] ?? ''));
const sandbox = await provider.create();
await sandbox.files.write('file', 'written');
const command = await sandbox.spawn('cat file; echo " and run"');
const { stdout } = await command.wait();
const read = await sandbox.files.read('file', { as: 'text' });
process.stdout.write(`${read}, ${stdout}`);
await sandbox.delete();
await provider.close();
