import type { Sandbox } from '@daytonaio/sdk';

/** Tells what it was asked, in JSON, and echoes over WebSockets byte by byte: a server to preview. */
const PROGRAM = `
const http = require('node:http');
const { createHash } = require('node:crypto');
const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => { body += chunk; });
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-from', 'inside');
    response.statusCode = request.url.startsWith('/teapot') ? 418 : 200;
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  });
});
server.on('upgrade', (request, socket) => {
  const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from('hello')]));
});
server.listen(8123, () => console.log('listening'));
`;

/** Runs it on port 8123. */
export async function serveInside(sandbox: Sandbox): Promise<void> {
  await sandbox.fs.uploadFile(Buffer.from(PROGRAM), 'server.cjs');
  await sandbox.process.createSession('server');
  const { cmdId } = await sandbox.process.executeSessionCommand('server', {
    command: 'node server.cjs',
    runAsync: true,
  });
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: string): void => {
      if (chunk.includes('listening')) resolve();
    };
    sandbox.process.getSessionCommandLogs('server', cmdId, take, reject).then(reject, reject);
  });
}
