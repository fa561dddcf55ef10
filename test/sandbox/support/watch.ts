import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { FileEvent, Watcher } from '@cubeshift/sandbox';

/** Tells what happens in a folder of this host. */
export async function watchFolder(
  path: string,
  onEvent: (event: FileEvent) => void,
): Promise<Watcher> {
  const watcher = watch(path, (type, name) => {
    const file = join(path, name ?? '');
    if (type === 'change') onEvent({ type: 'write', path: file });
    else onEvent({ type: existsSync(file) ? 'create' : 'remove', path: file });
  });
  return { stop: async () => watcher.close() };
}
