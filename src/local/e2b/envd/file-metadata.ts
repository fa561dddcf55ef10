import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';

const PREFIX = 'x-metadata-';
/** Limits of extended attributes, where the real service keeps it. */
const MAX_KEY_BYTES = 246;
const MAX_TOTAL_BYTES = 4096;
const NAMESPACE_BYTES = 'user.e2b.'.length;

/**
 * Metadata an upload carries in `X-Metadata-<key>` headers (envd 0.6.2 and later).
 * @throws ApiError 400 for what an attribute cannot hold
 */
export function metadataHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  const metadata: Record<string, string> = {};
  let total = 0;
  for (const [name, values] of Object.entries(headersDistinct)) {
    const key = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
    const value = values?.[0];
    if (key === '' || value === undefined) continue;
    if (!/^[\x20-\x7e]*$/.test(value)) refuse(`value of '${key}' is not printable US-ASCII`);
    if (key.length > MAX_KEY_BYTES) refuse(`key '${key}' is longer than ${MAX_KEY_BYTES} bytes`);
    total += key.length + NAMESPACE_BYTES + value.length;
    metadata[key] = value;
  }
  if (total > MAX_TOTAL_BYTES) refuse(`more than ${MAX_TOTAL_BYTES} bytes in all`);
  return metadata;
}

function refuse(reason: string): never {
  throw new ApiError(400, `invalid metadata: ${reason}`);
}
