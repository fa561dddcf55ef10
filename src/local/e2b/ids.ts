import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Preset } from './presets.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

function word(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** E2B: `i` and 20 characters. Cube: 32 hexadecimal digits. */
export function sandboxId({ flavor }: Preset): string {
  return flavor === 'e2b' ? `i${word(20)}` : randomBytes(16).toString('hex');
}

export function templateId({ flavor }: Preset): string {
  return flavor === 'e2b' ? word(20) : `tpl-${randomBytes(12).toString('hex')}`;
}

/** E2B's snapshots are templates; Cube's have ids of their own. */
export function snapshotId({ flavor }: Preset): string {
  return flavor === 'e2b' ? word(20) : `snap-${randomBytes(12).toString('hex')}`;
}

export function token(): string {
  return randomBytes(24).toString('base64url');
}

export const uuid = randomUUID;
