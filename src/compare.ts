/** Orders by code unit, the same on every machine, for `sort`. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
