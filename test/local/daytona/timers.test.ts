import type { Sandbox } from '@daytonaio/sdk';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../src/local/engine/clock.ts';
import { type EventClient, listenToEvents } from './events-client.ts';
import { failureOf, type Server, withServer } from './support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const clock = new ManualClock();

withServer(
  'what happens to sandboxes by itself',
  (server) => {
    test('an idle one stops after 15 minutes; what is done with it starts them anew', async () => {
      const sandbox = await server().client().create();
      clock.advance(14 * MINUTE);
      await sandbox.process.executeCommand('true');
      clock.advance(14 * MINUTE);
      await sandbox.refreshActivity();
      clock.advance(14 * MINUTE);
      expect(await stateOf(sandbox)).toBe('started');
      await passes(server(), sandbox, MINUTE, 'stopped');
      await sandbox.start();
      await sandbox.setAutostopInterval(0);
      clock.advance(30 * DAY);
      expect(await stateOf(sandbox)).toBe('started');
      await sandbox.delete();
    });

    test('one with a call that is under way is not idle', async () => {
      const sandbox = await server().client().create({ autoStopInterval: 5 });
      await sandbox.process.createSession('long');
      const { cmdId } = await sandbox.process.executeSessionCommand('long', {
        command: 'read line; echo "got $line"',
        runAsync: true,
      });
      const lines: string[] = [];
      const following = sandbox.process.getSessionCommandLogs(
        'long',
        cmdId,
        (chunk) => lines.push(chunk),
        () => undefined,
      );
      // Answered once the daemon has the connection: the log is read in this order.
      await sandbox.process.getSessionCommandLogs('long', cmdId);
      clock.advance(HOUR);
      expect(await stateOf(sandbox)).toBe('started');
      await sandbox.process.sendSessionCommandInput('long', cmdId, 'word');
      await following;
      expect(lines.join('')).toContain('got word');
      await sandbox.delete();
    });

    test('one that stopped is archived, then deleted', async () => {
      const daytona = server().client();
      const sandbox = await daytona.create({ autoArchiveInterval: 60, autoDeleteInterval: 120 });
      await sandbox.stop();
      await passes(server(), sandbox, HOUR, 'archived');
      await sandbox.start();
      await sandbox.stop();
      clock.advance(HOUR);
      await passes(server(), sandbox, HOUR, 'destroyed');
      expect(await failureOf(daytona.get(sandbox.id))).toMatchObject({ statusCode: 404 });
    });

    test('a time to live ends whatever it is doing', async () => {
      const daytona = server().client();
      const sandbox = await daytona.create({ ttlMinutes: 10, autoStopInterval: 0 });
      expect(sandbox.autoDestroyAt).toBe(new Date(clock.now() + 10 * MINUTE).toISOString());
      clock.advance(9 * MINUTE);
      await sandbox.setTtl(20);
      clock.advance(19 * MINUTE);
      expect(await stateOf(sandbox)).toBe('started');
      await passes(server(), sandbox, MINUTE, 'destroyed');
    });

    test('a virtual machine pauses instead, and goes on where it was', async () => {
      const machine = await server().client().create({ snapshot: 'daytona-vm-small' });
      await passes(server(), machine, HOUR, 'paused');
      await machine.start();
      expect((await machine.process.executeCommand('echo awake')).result).toBe('awake\n');
      await machine.delete();
    });

    test('a signed address opens a port for as long as was said', async () => {
      const sandbox = await server().client().create({ autoStopInterval: 0 });
      const { url, token } = await sandbox.getSignedPreviewUrl(3000, 60);
      expect(url).toContain(`3000-${token}.localhost`);
      expect(await statusOf(server(), `3000-${token}`)).toBe(502);
      clock.advance(61_000);
      expect(await statusOf(server(), `3000-${token}`)).toBe(401);
      const other = await sandbox.getSignedPreviewUrl(3000, 60);
      await sandbox.expireSignedPreviewUrl(3000, other.token);
      expect(await statusOf(server(), `3000-${other.token}`)).toBe(401);
      await sandbox.delete();
    });

    test('nothing went wrong on the way', () => {
      expect(server().failures).toEqual([]);
    });
  },
  { clock },
);

async function stateOf(sandbox: Sandbox): Promise<string | undefined> {
  await sandbox.refreshData();
  return sandbox.state;
}

/** Lets time pass, and waits until a sandbox is in a state, as told by an event. */
async function passes(server: Server, { id }: Sandbox, ms: number, state: string): Promise<void> {
  const events: EventClient = await listenToEvents(server);
  const changed = events.until((name, payload) => {
    const { sandbox, newState } = payload as { sandbox?: { id: string }; newState?: string };
    return name === 'sandbox.state.updated' && sandbox?.id === id && newState === state;
  });
  clock.advance(ms);
  await changed;
  events.close();
}

async function statusOf(server: Server, name: string): Promise<number> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const { port } = server.listening;
    const headers = { host: `${name}.localhost:${port}` };
    const asked = request({ host: '127.0.0.1', port, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject).end();
  });
}
