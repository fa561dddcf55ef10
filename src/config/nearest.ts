import { compare } from '../compare.ts';

/**
 * The candidates closest to a word that matches none of them, best first, for "did you mean".
 * Case does not matter. Only near ones are returned: a wild guess is worse than none.
 */
export function nearest(word: string, candidates: Iterable<string>, limit = 1): string[] {
  const wanted = word.toLowerCase();
  const scored: { candidate: string; distance: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const distance = distanceTo(wanted, candidate.toLowerCase());
    if (distance !== undefined) scored.push({ candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || compare(a.candidate, b.candidate));
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}

/** Distance of a word to a candidate, or to its last part: people leave out `Process.`. */
function distanceTo(wanted: string, candidate: string): number | undefined {
  const last = candidate.slice(candidate.lastIndexOf('.') + 1);
  const distances = [candidate, last].map((part, index) => {
    const most = Math.max(1, Math.floor(Math.min(wanted.length, part.length) * 0.4));
    const distance = editDistance(wanted, part, most);
    return distance <= most ? distance + index / 2 : Number.POSITIVE_INFINITY;
  });
  const best = Math.min(...distances);
  return best === Number.POSITIVE_INFINITY ? undefined : best;
}

/** ` Did you mean "x"?`, or nothing where no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const [best] = nearest(word, candidates);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}

/** Damerau-Levenshtein distance (neighbours swapped count once); stops counting above `most`. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(at(row, j - 1) + 1, at(last, j) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, at(beforeLast, j - 2) + 1);
      }
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
