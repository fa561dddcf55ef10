/**
 * The JavaScript driver. Cells are evaluated through V8's own inspector in its mode for consoles:
 * that gives `const` and `let` that later cells see and may declare again, top-level `await`, and
 * the value of the last expression, without rewriting code. The shell that starts it keeps standard
 * input and the way out on descriptors 3, 4 and 5, away from user code.
 */
export const JAVASCRIPT_DRIVER = String.raw`
(() => {
'use strict';
const fs = require('node:fs');
const inspector = require('node:inspector');
const { createRequire } = require('node:module');
const path = require('node:path');
const { Writable } = require('node:stream');
const { pathToFileURL } = require('node:url');
const util = require('node:util');
const { Worker } = require('node:worker_threads');

const FRAMES_OUT = 4;
const FRAMES_ERR = 5;
const PIECE = 3900; // with its head below the 4096 bytes that a pipe takes whole
let nonce = '';
let frames = 0;
let interrupt; // while a cell runs: ends the wait for it

const nap = new Int32Array(new SharedArrayBuffer(4));
function writeAll(fd, data) {
  for (let at = 0; at < data.length; ) {
    try {
      at += fs.writeSync(fd, data, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(nap, 0, 0, 2); // a child made the shared pipe non-blocking
    }
  }
}

function send(message, fd = FRAMES_OUT) {
  const data = Buffer.from(JSON.stringify(message));
  const number = frames++;
  for (let start = 0; start < data.length; start += PIECE) {
    const more = start + PIECE < data.length ? '+' : '.';
    const head = Buffer.from('\x1e' + nonce + ':' + number + ':' + more);
    writeAll(fd, Buffer.concat([head, data.subarray(start, start + PIECE), Buffer.from('\n')]));
  }
}

/**
 * Synchronous, so that output keeps its order; stderr goes as frames for the same reason. Writes go
 * past the stream's own state, which code that is stopped in the middle of one would leave broken.
 */
function output(fd, write) {
  const stream = new Writable();
  stream.write = (chunk, encoding, done) => {
    write(typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk);
    const told = typeof encoding === 'function' ? encoding : done;
    if (typeof told === 'function') process.nextTick(told);
    return true;
  };
  stream.end = stream.destroy = () => stream;
  return Object.assign(stream, { fd, _type: 'pipe' });
}
const stdout = output(1, (chunk) => writeAll(1, chunk));
const stderr = output(2, (chunk) => send({ t: 'stderr', text: Buffer.from(chunk).toString() }));
Object.defineProperty(process, 'stdout', { value: stdout, configurable: true, enumerable: true });
Object.defineProperty(process, 'stderr', { value: stderr, configurable: true, enumerable: true });

/** As for a file in the current folder, wherever the process has gone since. */
const here = () => createRequire(path.join(process.cwd(), 'cell.js'));
const load = (id) => here()(id);
load.resolve = (id, options) => here().resolve(id, options);
load.cache = require.cache;
async function importHere(id, options) {
  const name = String(id);
  if (/^\.{0,2}\//.test(name)) return import(pathToFileURL(path.resolve(name)).href, options);
  try {
    return await import(name, options);
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    let found;
    try {
      found = here().resolve(name);
    } catch {
      throw error;
    }
    return import(pathToFileURL(found).href, options);
  }
}

function isBundle(value) {
  return typeof value === 'object' && value !== null;
}

async function bundleOf(value) {
  const own = isBundle(value) ? value[Symbol.for('Jupyter.display')] : undefined;
  const made = typeof own === 'function' ? await own.call(value) : undefined;
  return isBundle(made) ? made : { 'text/plain': util.inspect(value) };
}

async function display(value, options = {}) {
  const data = options.raw ? value : await bundleOf(value);
  send({ t: 'result', data, main: false });
}

for (const [name, value] of Object.entries({
  require: load,
  display,
  __cubeshift_import__: importHere,
})) {
  Object.defineProperty(globalThis, name, {
    value, configurable: true, writable: true, enumerable: false,
  });
}

const session = new inspector.Session();
session.connect();
const around = new inspector.Session();
around.connect();
let taken; // the object that the inspector hands over
let enter; // what is run below an evaluation
const now = Date.now;
// The termination is on its way: it ends this, whenever it comes.
const wait = () => { for (const end = now() + 30000; now() < end; ); };
const ours = { take: (value) => { taken = value; }, enter: () => enter() };
Object.defineProperty(globalThis, Symbol.for('cubeshift.kernel'), { value: ours });
const TAKE = 'function () { "use strict"; globalThis[Symbol.for("cubeshift.kernel")].take(this); }';
const ENTER = 'globalThis[Symbol.for("cubeshift.kernel")].enter()';

/**
 * The number of the cell whose code the main thread is in, 0 for none, negated by the listener when
 * it terminates it. Whoever changes it first wins, so that a late termination never hits this program.
 */
const busy = new Int32Array(new SharedArrayBuffer(4));

/**
 * The inspector's answer, or 'interrupted'. A termination cannot be caught by code, only by the
 * inspector, so the steps around the cell's code run below an evaluation as well.
 */
function evaluate(expression, count) {
  return new Promise((resolve, reject) => {
    interrupt = () => resolve('interrupted');
    enter = () => {
      let isHit = false;
      Atomics.store(busy, 0, count);
      send({ t: 'running' });
      session.post('Runtime.evaluate', { expression, replMode: true, objectGroup: 'cell' }, (error, answer) => {
        if (!error) resolve(answer);
        else if (busy[0] !== -count) reject(error);
        isHit = Boolean(error);
      });
      // A cell that was faster than its termination: let that hit something here, below.
      if (Atomics.compareExchange(busy, 0, count, 0) !== count && !isHit) wait();
    };
    around.post('Runtime.evaluate', { expression: ENTER }, () => {});
    if (busy[0] !== 0) resolve('interrupted');
  });
}

function valueOf(remote) {
  if (remote.objectId !== undefined) {
    session.post('Runtime.callFunctionOn', { objectId: remote.objectId, functionDeclaration: TAKE });
    const value = taken;
    taken = undefined;
    return value;
  }
  const special = remote.unserializableValue;
  if (special === undefined) return remote.subtype === 'null' ? null : remote.value;
  return special.endsWith('n') ? BigInt(special.slice(0, -1)) : Number(special);
}

/** Without the frames of this program, which stand below those of the cell. */
function stackOf(error) {
  const lines = String(error.stack).split('\n');
  const end = lines.findIndex((line) => line.includes('Session.post (node:inspector'));
  return lines.slice(0, end < 0 ? undefined : end).join('\n');
}

function failure(details, code, file) {
  const error = valueOf(details.exception ?? { value: details.text });
  if (!util.types.isNativeError(error)) {
    const text = util.inspect(error);
    return { t: 'error', name: 'Error', value: text, traceback: 'Uncaught ' + text };
  }
  const stack = stackOf(error);
  // A cell that does not parse has no frame of its own: show the place as Node does for files.
  const isUnparsed = error instanceof SyntaxError && !stack.includes('\n    at ');
  const place = file + ':' + (details.lineNumber + 1) + '\n';
  const line = code.split('\n')[details.lineNumber] ?? '';
  const shown = isUnparsed ? place + line + '\n' + ' '.repeat(details.columnNumber) + '^\n\n' : '';
  return { t: 'error', name: String(error.name), value: String(error.message), traceback: shown + stack };
}

async function run(request) {
  const file = 'cell-' + request.count + '.js';
  const answer = await evaluate(request.code + '\n//# sourceURL=' + file, request.count);
  interrupt = undefined;
  if (answer === 'interrupted') {
    const text = 'The execution was interrupted';
    return send({ t: 'error', name: 'Interrupted', value: text, traceback: 'Interrupted: ' + text });
  }
  if (answer.exceptionDetails) return send(failure(answer.exceptionDetails, request.code, file));
  if (answer.result.type === 'undefined') return;
  send({ t: 'result', data: await bundleOf(valueOf(answer.result)), main: true });
}

async function execute(request) {
  const changed = Object.keys(request.env).map((name) => [name, process.env[name]]);
  Object.assign(process.env, request.env);
  try {
    await run(request);
  } catch (error) {
    // A value whose own display method fails.
    send({ t: 'error', name: String(error?.name), value: String(error?.message), traceback: String(error?.stack) });
  }
  session.post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
  for (const [name, value] of changed) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

function start(request) {
  nonce = request.nonce;
  try {
    if (request.cwd !== null) process.chdir(request.cwd);
  } catch (error) {
    send({ t: 'refused', reason: error.message });
    process.exit(1);
  }
}

// It is meant for child processes; this one is interrupted by the listener below.
process.on('SIGINT', () => {});
// What goes wrong outside a cell, in a timer or a forgotten promise, must not end the kernel.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => stderr.write('Uncaught ' + util.inspect(error) + '\n'));
}

/** Reads requests in a thread of its own, which can stop code that keeps the main thread busy. */
function listen() {
  const inspector = require('node:inspector');
  const net = require('node:net');
  const { parentPort, workerData: busy } = require('node:worker_threads');
  const session = new inspector.Session();
  session.connectToMainThread();
  const requests = new net.Socket({ fd: 3, readable: true, writable: false });
  const take = (line) => {
    const { op, count } = JSON.parse(line);
    if (op === 'interrupt' && Atomics.compareExchange(busy, 0, count, -count) === count) {
      session.post('Runtime.terminateExecution', () => {});
    } else {
      parentPort.postMessage(line);
    }
  };
  let parts = [];
  requests.setEncoding('utf8');
  const leave = () => {
    parentPort.postMessage('{"op":"exit"}');
    // Whoever used the kernel is gone; code that keeps the main thread busy must not stay behind.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 200);
  };
  requests.on('end', leave);
  requests.on('error', leave);
  requests.on('data', (text) => {
    const lines = text.split('\n');
    parts.push(lines[0]);
    for (const next of lines.slice(1)) {
      take(parts.join(''));
      parts = [next];
    }
  });
}

const exit = process.exit;
let current = 0;
async function serve(line) {
  const request = JSON.parse(line);
  if (request.op === 'exit') exit(0);
  if (request.op === 'interrupt') {
    if (request.count === current) interrupt?.();
    return;
  }
  current = request.count;
  if (request.op === 'start') start(request);
  else await execute(request);
  current = 0;
  // On both pipes: behind it nothing of this cell is under way any more.
  send({ t: 'done' });
  send({ t: 'done' }, FRAMES_ERR);
}

const listener = new Worker('(' + listen + ')()', { eval: true, workerData: busy });
listener.on('message', (line) => void serve(line));
})();
`;
