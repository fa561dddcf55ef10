import { unsupported } from './errors.ts';
import type { SnapshotService, TemplateService, VolumeService } from './services.ts';

/** Services of a backend that does not have them: every call throws `unsupported`. */

export function noVolumes(provider: string): VolumeService {
  const refuse = refusal(provider, 'volumes', 'Copy files in and out.');
  return { list: refuse, get: refuse, create: refuse, delete: refuse };
}

export function noSnapshots(provider: string): SnapshotService {
  const refuse = refusal(provider, 'snapshots', 'Keep what matters in files outside.');
  return { list: refuse, delete: refuse, restore: refuse };
}

export function noTemplates(provider: string): TemplateService {
  const refuse = refusal(
    provider,
    'templates',
    'Prepare what sandboxes start from by its own means.',
  );
  return { list: refuse, get: refuse, build: refuse, delete: refuse };
}

function refusal(provider: string, what: string, instead: string): () => Promise<never> {
  return () => Promise.reject(unsupported(provider, what, instead));
}
