import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

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
  const late = new AbortController();
  const both = Promise.all([find(name), find(host)]);
  const nothing = sleep(PATIENCE_MS, undefined, { signal: late.signal });
  try {
    const [there, here] = (await Promise.race([both, nothing])) ?? [[], []];
    return there.some((address) => here.includes(address));
  } catch {
    return false;
  } finally {
    nothing.catch(() => undefined);
    late.abort();
  }
}
