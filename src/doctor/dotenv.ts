import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** The address decides where the key goes, so the SDK takes it from no file (since 0.211). */
const ADDRESSES = ['DAYTONA_API_URL', 'DAYTONA_SERVER_URL'];

/** What Daytona's SDK reads from files of a folder, which it does where `dotenv` is installed. */
export function dotenvOf(folder: string): Record<string, string> {
  if (!hasDotenv(folder)) return {};
  const all = { ...variablesIn(join(folder, '.env')), ...variablesIn(join(folder, '.env.local')) };
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) {
    const isRead = name.startsWith('DAYTONA_') && !ADDRESSES.includes(name);
    if (isRead && value !== undefined) found[name] = value;
  }
  return found;
}

function hasDotenv(folder: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve('dotenv');
    return true;
  } catch {
    return false;
  }
}

function variablesIn(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
