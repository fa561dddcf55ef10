import { randomBytes } from 'node:crypto';
import { sameSecret } from '../http/guard.ts';
import type { UpgradeCall } from '../http/server.ts';
import { acceptWebSocket, sendMessage, type WebSocket } from '../http/websocket.ts';

/** Clients take the connection for dead after this time and the next without a ping. */
const PING_MS = 25_000;
const PING_TIMEOUT_MS = 20_000;

/**
 * Tells clients of changes over socket.io: packets of Engine.IO 4 (`0` open, `2` ping, `3` pong, `4`
 * message) around packets of Socket.IO 5 (`0` connect, `1` disconnect, `2` event, `4` refusal), over
 * a WebSocket from the start. Clients without it poll, and their processes end late.
 */
export class Events {
  readonly #key: string;
  readonly #connected = new Set<WebSocket>();
  readonly #open = new Set<WebSocket>();

  /** `key` is what clients must show. */
  constructor(key: string) {
    this.#key = key;
  }

  async accept(call: UpgradeCall): Promise<void> {
    const client = await acceptWebSocket(call);
    const sid = randomBytes(15).toString('base64url');
    this.#open.add(client);
    // Not the sandboxes' clock: the connection is between two real programs.
    const ping = setInterval(() => void sendMessage(client, '2'), PING_MS);
    ping.unref();
    client.once('close', () => {
      clearInterval(ping);
      this.#open.delete(client);
      this.#connected.delete(client);
    });
    client.on('message', (data) => this.#take(client, sid, `${data}`));
    const hello = { sid, upgrades: [], pingInterval: PING_MS, pingTimeout: PING_TIMEOUT_MS };
    await sendMessage(client, `0${JSON.stringify({ ...hello, maxPayload: 1_000_000 })}`);
  }

  emit(name: string, payload: unknown): void {
    if (this.#connected.size === 0) return;
    const packet = `42${JSON.stringify([name, payload])}`;
    for (const client of this.#connected) void sendMessage(client, packet);
  }

  close(): void {
    for (const client of this.#open) client.terminate();
  }

  #take(client: WebSocket, sid: string, packet: string): void {
    if (packet.startsWith('40')) {
      if (sameSecret(tokenOf(packet.slice(2)), this.#key)) {
        this.#connected.add(client);
        void sendMessage(client, `40${JSON.stringify({ sid: `${sid}-0` })}`);
      } else {
        void sendMessage(client, `44${JSON.stringify({ message: 'Unauthorized' })}`);
      }
    } else if (packet === '41' || packet === '1') {
      client.close();
    } else if (packet === '2probe') {
      void sendMessage(client, '3probe');
    }
  }
}

function tokenOf(text: string): string | undefined {
  try {
    const auth: unknown = JSON.parse(text);
    const token = (auth as { token?: unknown } | null)?.token;
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
