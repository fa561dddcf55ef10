import { lookup } from 'node:dns/promises';
import { within } from '../within.ts';

/** The addresses that a name leads to. @throws anything when it leads nowhere */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** A name server that does not answer is as good as none. */
const PATIENCE_MS = 2000;

/** What `fetch` and every other program that leaves names to the system would find. */
export const systemLookup: Lookup = async (name) => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};

/** Whether one name leads where another (or an address) leads. */
export async function leadsTo(find: Lookup, name: string, host: string): Promise<boolean> {
  try {
    const both = await within(Promise.all([find(name), find(host)]), PATIENCE_MS);
    const [there, here] = both ?? [[], []];
    return there.some((address) => here.includes(address));
  } catch {
    return false;
  }
}
