import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeCall } from './server.ts';

export type { WebSocket };

/**
 * Completes the handshake. Of the subprotocols the client offers the first is chosen unless `choose`
 * says otherwise; browsers and `ws` alike refuse a server that chooses none of those offered.
 */
export function acceptWebSocket(
  { request, socket, head }: UpgradeCall,
  choose: (offered: ReadonlySet<string>) => string | false = ([first]) => first ?? false,
): Promise<WebSocket> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Files do not travel this way; long lines of code may.
    maxPayload: 64 * 1024 * 1024,
    handleProtocols: (offered) => choose(offered),
  });
  return new Promise((resolve) => {
    server.handleUpgrade(request, socket, head, (client) => {
      // Without a listener an error of one client would end the server; `close` follows anyway.
      client.on('error', () => undefined);
      resolve(client);
    });
  });
}

/** Sends a message; resolves when more may be sent, also when the other side has gone. */
export function sendMessage(client: WebSocket, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (client.readyState !== client.OPEN) resolve();
    else client.send(data, () => resolve());
  });
}
