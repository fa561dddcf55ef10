import { LIB_CORE } from './core.ts';
import { LIB_MODULES } from './modules.ts';
import { LIB_RUNTIME } from './runtime.ts';

/** The stand-in library as one global script. */
export function libText(): string {
  return `${LIB_CORE}${LIB_RUNTIME}${LIB_MODULES}`;
}
