import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { DaytonaError, Sandbox } from '@daytonaio/sdk';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { listenToEvents } from './events-client.ts';
import { failureOf, KEY, PATIENCE, withServer } from './support.ts';

withServer('bad input and bad luck', (server) => {
  let sandbox: Sandbox;
  const toolbox = (path: string): string => `${server().origin}/toolbox/${sandbox.id}${path}`;
  const post = (path: string, body: string) =>
    fetch(toolbox(path), {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body,
    });

  beforeAll(async () => {
    sandbox = await server().client().create({ autoStopInterval: 0 });
  }, PATIENCE);

  test('bodies of any kind are refused in the daemon’s words', async () => {
    for (const body of [
      '',
      '{',
      '[]',
      '"x"',
      'null',
      '{"command": 5}',
      '{"command": "", "envs": []}',
    ]) {
      const answer = await post('/process/execute', body);
      expect([answer.status, body]).toEqual([400, body]);
      expect(await answer.json()).toMatchObject({ statusCode: 400, source: 'DAYTONA_DAEMON' });
    }
    for (const path of [
      '/process/session',
      '/files/replace',
      '/git/clone',
      '/git/commit',
      '/process/pty',
    ]) {
      expect([(await post(path, '{}')).status, path]).toEqual([400, path]);
    }
    expect((await post('/files/bulk-download', '{"paths": []}')).status).toBe(400);
    expect((await post('/files/bulk-upload', '{}')).status).toBe(400);
    expect((await post('/env', '{"set": {"A=B": "x"}}')).status).toBe(400);
  });

  test('routes that are not there say so as the service does', async () => {
    const unknown = await post('/no/such/route', '{}');
    expect([unknown.status, await unknown.text()]).toEqual([404, '404 page not found']);
    const lsp = await sandbox.createLspServer('python', '/tmp');
    const missing = await failureOf<DaytonaError>(lsp.start());
    expect(missing).toMatchObject({ statusCode: 501, code: 'NOT_IMPLEMENTED' });
    expect(missing.message).toContain('no language servers');
    const headers = { authorization: `Bearer ${KEY}` };
    const nobody = await fetch(`${server().origin}/toolbox/none/work-dir`, { headers });
    expect(nobody.status).toBe(404);
    const nested = await fetch(`${server().apiUrl}/toolbox/${sandbox.id}/toolbox/work-dir`, {
      headers,
    });
    expect(await nested.json()).toEqual({ dir: '/home/daytona' });
  });

  test('WebSockets are let in with a key only, and speak nonsense in vain', async () => {
    const address = toolbox('/process/interpreter/execute').replace('http', 'ws');
    const stranger = new WebSocket(address);
    const [error] = await once(stranger, 'error');
    expect((error as Error).message).toContain('401');
    const page = new WebSocket(address, {
      headers: { authorization: `Bearer ${KEY}`, origin: 'http://elsewhere.test' },
    });
    expect(((await once(page, 'error'))[0] as Error).message).toContain('403');
    const codes: number[] = [];
    for (const message of ['nonsense', '{}', '{"code": "1", "timeout": -1}', '{"code": 5}']) {
      const socket = new WebSocket(address, { headers: { authorization: `Bearer ${KEY}` } });
      socket.once('open', () => socket.send(message));
      codes.push((await once(socket, 'close'))[0] as number);
    }
    expect(codes).toEqual([1002, 1008, 1008, 1008]);
    expect(await failureOf(listenToEvents(server(), 'wrong'))).toMatchObject({
      message: expect.stringContaining('Unauthorized'),
    });
  });

  test('clients that go away leave nothing behind that counts as busy', async () => {
    const body = JSON.stringify({ command: 'read never < /dev/tty || sleep 1234' });
    const exec = request(toolbox('/process/execute'), {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-length': body.length },
    });
    exec.on('error', () => undefined).write(body);
    await runs(sandbox, 'sleep 123[4]');
    exec.destroy();
    const follower = new WebSocket(
      toolbox('/process/session/entrypoint/logs?follow=true').replace('http', 'ws'),
      {
        headers: { authorization: `Bearer ${KEY}` },
      },
    );
    await once(follower, 'open');
    follower.terminate();
    // A command outlives who asked for it, as with the service.
    await runs(sandbox, 'sleep 123[4]');
    await sandbox.process.executeCommand('pkill sleep');
  });

  test('a request that is no HTTP harms nobody', async () => {
    const { port } = server().listening;
    const socket = connect(port, '127.0.0.1');
    socket.resume().write('GET /toolbox/../../etc/passwd HTTP/9.9\r\n\r\n');
    await once(socket, 'close');
    const odd = await fetch(`${server().apiUrl}/sandbox/%E0%A4%A/..%2f..`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(odd.status).toBe(404);
  });

  test('output without end is taken as fast as it is read', async () => {
    await sandbox.process.createSession('flood');
    const { cmdId } = await sandbox.process.executeSessionCommand('flood', {
      command: 'i=0; while [ $i -lt 30000 ]; do echo "line $i"; i=$((i + 1)); done',
      runAsync: true,
    });
    let lines = 0;
    await sandbox.process.getSessionCommandLogs(
      'flood',
      cmdId,
      (chunk) => {
        lines += chunk.split('\n').length - 1;
      },
      () => undefined,
    );
    expect(lines).toBe(30_000);
    await sandbox.process.deleteSession('flood');
  });

  test('two changes at once: one of them is told to wait', async () => {
    const daytona = server().client();
    const one = await daytona.create();
    const outcomes = await Promise.allSettled([one.stop(), one.stop()]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeLessThanOrEqual(1);
    await one.refreshData();
    expect(one.state).toBe('stopped');
    await one.delete();
  });

  test('many sandboxes at once do not know of each other', async () => {
    const daytona = server().client();
    const made = await Promise.all(Array.from({ length: 12 }, () => daytona.create()));
    const answers = await Promise.all(
      made.map((each) =>
        each.process.executeCommand('echo mine > /tmp/f; ls /tmp; echo $DAYTONA_SANDBOX_ID'),
      ),
    );
    expect(answers.map(({ result }) => result)).toEqual(made.map(({ id }) => `f\n${id}\n`));
    await Promise.all(made.map((each) => each.delete()));
  });

  test('a restart of the host loses what runs, and keeps what is on disk', async () => {
    const daytona = server().client();
    const running = await daytona.create();
    await running.fs.uploadFile(Buffer.from('kept'), 'file');
    const stopped = await daytona.create();
    await stopped.stop();
    await server().front.restart();
    server().listening.dropConnections();
    await running.refreshData();
    expect(running.state).toBe('stopped');
    await running.start();
    expect((await running.fs.downloadFile('file')).toString()).toBe('kept');
    await Promise.all([running.delete(), stopped.delete()]);
  });

  test('nothing went wrong on the way', () => {
    expect(server().failures).toEqual([]);
  });
});

/** Waits until a program runs in a sandbox. */
async function runs(sandbox: Sandbox, pattern: string): Promise<void> {
  const command = `pgrep -f ${JSON.stringify(pattern)} > /dev/null`;
  while ((await sandbox.process.executeCommand(command)).exitCode !== 0);
}
