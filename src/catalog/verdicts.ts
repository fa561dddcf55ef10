import type { VerdictNote } from '../model/finding.ts';
import type { SinceVerdict, SymbolVerdicts } from './types.ts';

/** Same meaning on the target. */
export const native = (note?: string): VerdictNote => of('native', note);
/** Another shape, nothing lost; the note says what differs. */
export const adapted = (note?: string): VerdictNote => of('adapted', note);
/** Works with a loss; the note names it. */
export const emulated = (loss: string): VerdictNote => of('emulated', loss);
/** Does not work; the note says what to do instead. */
export const unsupported = (instead: string): VerdictNote => of('unsupported', instead);

/** The same verdict on every target. */
export const everywhere = (verdict: VerdictNote): SymbolVerdicts => ({ e2b: verdict });

/** One verdict for E2B and the local server, another for Cube. */
export const split = (e2b: VerdictNote, cube: VerdictNote | SinceVerdict): SymbolVerdicts => ({
  e2b,
  cube,
});

/** A Cube verdict that changed with a server release. */
export const from = (since: string, then: VerdictNote, before: VerdictNote): SinceVerdict => ({
  since,
  then,
  before,
});

function of(verdict: VerdictNote['verdict'], note: string | undefined): VerdictNote {
  return note === undefined ? { verdict } : { verdict, note };
}
