import { WebSocket } from 'ws';
import { KEY, type Server } from './support.ts';

export interface EventClient {
  /** Resolves with the next event that fits. */
  until(fits: (name: string, payload: unknown) => boolean): Promise<unknown>;
  close(): void;
}

/** Listens to the socket.io events in the smallest way there is; resolves when let in. */
export async function listenToEvents(server: Server, token = KEY): Promise<EventClient> {
  const address = `${server.apiUrl.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
  const socket = new WebSocket(address);
  const waiting = new Set<(packet: string) => void>();
  socket.on('message', (data) => {
    for (const take of waiting) take(`${data}`);
  });
  const packet = (fits: (packet: string) => boolean): Promise<string> =>
    new Promise((resolve) => {
      const take = (given: string): void => {
        if (!fits(given)) return;
        waiting.delete(take);
        resolve(given);
      };
      waiting.add(take);
    });
  await packet((given) => given.startsWith('0'));
  const answered = packet((given) => given.startsWith('4'));
  socket.send(`40${JSON.stringify({ token })}`);
  const answer = await answered;
  if (!answer.startsWith('40')) throw new Error(answer);
  return {
    async until(fits) {
      let found: unknown;
      await packet((given) => {
        if (!given.startsWith('42')) return false;
        const [name, payload] = JSON.parse(given.slice(2)) as [string, unknown];
        found = payload;
        return fits(name, payload);
      });
      return found;
    },
    close: () => socket.terminate(),
  };
}
