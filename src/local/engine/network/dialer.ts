import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { EngineError } from '../errors.ts';
import { startHelper } from '../helper.ts';
import { LOOPBACK, refused } from './loopback.ts';

/** How long a helper waits for the next connection to make. */
const IDLE_MS = 60_000;

/**
 * Runs in a sandbox's network. Makes connections to its loopback and hands the sockets over: a socket
 * stays in the network it was made in, so from then on the server talks to the sandbox without
 * anything between. A socket is paused before it is connected, since bytes read here would be lost.
 */
const PROGRAM = `
const net = require('node:net');
const hosts = ${JSON.stringify(LOOPBACK)};
process.on('message', ({ id, port }) => {
  const attempt = (i) => {
    if (i === hosts.length) return process.send({ id });
    const socket = net.connect({ host: hosts[i], port, noDelay: true });
    socket.pause();
    const fail = () => attempt(i + 1);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      socket.on('error', () => {});
      process.send({ id }, socket);
    });
  };
  attempt(0);
});
`;

interface Call {
  port: number;
  resolve: (socket: Socket) => void;
  reject: (error: Error) => void;
}

/** Makes connections inside the network of one process of the host. */
export class Dialer {
  readonly #pid: number;
  readonly #nsenter: readonly string[];
  readonly #calls = new Map<number, Call>();
  #count = 0;
  #helper: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /** `nsenter`: options that join its network. */
  constructor(pid: number, nsenter: readonly string[]) {
    this.#pid = pid;
    this.#nsenter = nsenter;
  }

  /** Starts the helper when there is none. */
  connect(port: number): Promise<Socket> {
    clearTimeout(this.#idle);
    this.#helper ??= this.#start();
    const helper = this.#helper;
    const id = this.#count++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { port, resolve, reject });
      helper.send({ id, port }, (error) => {
        if (error !== null) this.#settle(id, (call) => call.reject(lost(port)));
      });
    });
  }

  end(): Promise<void> {
    clearTimeout(this.#idle);
    const helper = this.#helper;
    // From here on it takes no more calls: the next one starts another.
    this.#helper = undefined;
    if (helper?.connected === true) helper.disconnect();
    return this.#ended;
  }

  #start(): ChildProcess {
    const through = ['nsenter', '-t', `${this.#pid}`, ...this.#nsenter, '--'];
    const helper = startHelper(PROGRAM, through);
    helper.on('message', ({ id }: { id: number }, handle) => {
      const answer = this.#settle(id, ({ port, resolve, reject }) => {
        if (handle instanceof Socket) resolve(handle);
        else reject(refused(port));
      });
      if (!answer && handle instanceof Socket) handle.destroy();
    });
    this.#ended = new Promise((resolve) => {
      const gone = (): void => {
        if (this.#helper === helper) this.#helper = undefined;
        for (const id of [...this.#calls.keys()]) {
          this.#settle(id, ({ port, reject }) => reject(lost(port)));
        }
        resolve();
      };
      helper.once('error', gone);
      helper.once('exit', gone);
    });
    return helper;
  }

  #settle(id: number, how: (call: Call) => void): boolean {
    const call = this.#calls.get(id);
    if (call === undefined) return false;
    this.#calls.delete(id);
    how(call);
    if (this.#calls.size === 0) {
      this.#idle = setTimeout(() => void this.end(), IDLE_MS);
      this.#idle.unref();
    }
    return true;
  }
}

function lost(port: number): EngineError {
  return new EngineError('not-running', `the sandbox went away while port ${port} was reached`);
}
