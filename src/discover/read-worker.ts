import { parentPort, workerData } from 'node:worker_threads';
import { batches, type ReadJob, type ReadMessage } from './read-all.ts';

/** The reading thread: reads its job and sends it back in batches. */
const send = (message: ReadMessage): void => parentPort?.postMessage(message);
for (const batch of batches(workerData as ReadJob)) send(batch);
send(undefined);
