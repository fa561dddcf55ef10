/**
 * The protocols of E2B and of CubeSandbox, over the engine: the control plane, envd, the code
 * interpreter and the ports of sandboxes, on one HTTP port.
 *
 *   presets.ts     what differs between the services and their releases
 *   sandboxes.ts   from create to the end; `live-sandbox.ts` one of them, `lifetime.ts` its clock
 *   target.ts      which sandbox and port a request is for; `gate.ts` whether it may pass
 *   control/       the API; `templates.ts`, `volumes.ts` what it keeps besides sandboxes
 *   envd/          processes and files inside (port 49983)
 *   interpreter.ts code with state (port 49999); `ports.ts` everything else
 */
import type { IncomingMessage } from 'node:http';
import type { FrontContext, ProtocolFront } from '../front.ts';
import { HttpFailure } from '../http/failure.ts';
import type { Reply } from '../http/reply.ts';
import { type Handler, Router } from '../http/router.ts';
import type { Found, UpgradeHandler } from '../http/server.ts';
import type { ControlHandler } from './control/handler.ts';
import { CONTROL_ROUTES } from './control/index.ts';
import { checkKey } from './control/key.ts';
import { checkAccess, isReserved, isSigned, reserved } from './envd/access.ts';
import { FILE_ROUTES } from './envd/files.ts';
import { FILESYSTEM_ROUTES } from './envd/filesystem-service.ts';
import type { SandboxHandler } from './envd/handler.ts';
import { HEALTH_ROUTES } from './envd/health.ts';
import { PROCESS_ROUTES } from './envd/process-service.ts';
import { controlFailure, noRoute } from './errors.ts';
import { gone, pass } from './gate.ts';
import { INTERPRETER_ROUTES, noInterpreterRoute } from './interpreter.ts';
import { closedPort, isClosed, portHandler, upgradePort } from './ports.ts';
import { type CubeVersion, type Flavor, presetOf } from './presets.ts';
import { E2bServices } from './services.ts';
import { ENVD_PORT, INTERPRETER_PORT, type Target, targetOf } from './target.ts';

export { CUBE_VERSIONS, type CubeVersion, type Flavor, LATEST_CUBE } from './presets.ts';

export type E2bFrontOptions =
  | { flavor: 'e2b'; domain?: string }
  | { flavor: 'cube'; cubeVersion?: CubeVersion; domain?: string };

export interface E2bFront extends ProtocolFront {
  readonly flavor: Flavor;
  /** `e2b`, `cube@0.7.2`. */
  readonly preset: string;
  /** What to create sandboxes from: E2B's clients ask for it by themselves, Cube has no such name. */
  readonly defaultTemplate: string;
}

/** Makes a front; `options.domain` is what `<port>-<id>.` is put before, `localhost:<port>` if unset. */
export function createE2bFront(context: FrontContext, options: E2bFrontOptions): E2bFront {
  const version = options.flavor === 'cube' ? options.cubeVersion : undefined;
  return new Front(new E2bServices(context, presetOf(options.flavor, version), options.domain));
}

/** Answered without a key: it is asked by load balancers, or secured by a token of its own. */
const OPEN = /^(?:GET \/health$|\w+ \/volumecontent\/|PUT \/templates\/:id\/files\/)/;

/** What listens on other ports of sandboxes has no routes that are known here. */
const PORT_ROUTE = 'PORT *';
const UPGRADE_ROUTE = 'UPGRADE *';

class Front implements E2bFront {
  readonly flavor: Flavor;
  readonly preset: string;
  readonly defaultTemplate: string;
  readonly #services: E2bServices;
  readonly #control = new Router<ControlHandler>();
  readonly #envd = routerOf({
    ...HEALTH_ROUTES,
    ...FILE_ROUTES,
    ...PROCESS_ROUTES,
    ...FILESYSTEM_ROUTES,
  });
  readonly #interpreter = routerOf(INTERPRETER_ROUTES);

  constructor(services: E2bServices) {
    this.#services = services;
    const { preset, templates } = services;
    this.flavor = preset.flavor;
    this.preset = preset.name;
    this.defaultTemplate =
      preset.flavor === 'e2b' ? (templates.default.names[0] ?? '') : templates.default.id;
    for (const route of preset.routes) {
      const handler = CONTROL_ROUTES[route];
      if (handler === undefined) throw new Error(`no handler for ${route}`);
      this.#control.on(route, handler);
    }
  }

  get routes(): readonly string[] {
    const inside = [...this.#envd.names, ...this.#interpreter.names, PORT_ROUTE, UPGRADE_ROUTE];
    return [...this.#control.names, ...inside];
  }

  find(request: IncomingMessage, path: string): Found<Handler> {
    const target = targetOf(request, this.#services.preset) ?? this.#linked(request, path);
    return target === undefined
      ? this.#findControl(request, path)
      : this.#findSandbox(request, target);
  }

  findUpgrade(request: IncomingMessage): Found<UpgradeHandler> {
    const { preset } = this.#services;
    const target = targetOf(request, preset);
    if (target === undefined) throw new HttpFailure(404, 'no matching operation was found');
    const handler: UpgradeHandler = async (call) => {
      const passage = await pass(call, target, this.#services);
      if ('reply' in passage) throw new Refusal(passage.reply);
      try {
        await upgradePort(call, passage.sandbox, target);
      } catch (error) {
        throw isClosed(error) ? new Refusal(closedPort(target, this.#services)) : error;
      }
    };
    return { route: { name: UPGRADE_ROUTE, handler }, params: {}, isPublic: true };
  }

  failure(error: unknown): Reply {
    return error instanceof Refusal ? error.reply : controlFailure(error, this.#services.preset);
  }

  restart(): Promise<void> {
    return this.#services.sandboxes.restart();
  }

  close(): Promise<void> {
    return this.#services.close();
  }

  #findControl(request: IncomingMessage, path: string): Found<Handler> {
    const { preset } = this.#services;
    const match = this.#control.match(request.method ?? 'GET', path);
    if (match.kind !== 'found') {
      const allowed = match.kind === 'wrong-method' ? match.allowed : undefined;
      return { route: { name: '*', handler: () => noRoute(preset, allowed) }, params: {} };
    }
    const { route, params } = match;
    const handler: Handler = (call) => {
      if (!OPEN.test(route.name)) checkKey(call, this.#services);
      return route.handler(call, this.#services);
    };
    return { route: { name: route.name, handler }, params };
  }

  #findSandbox(request: IncomingMessage, target: Target): Found<Handler> {
    const { preset } = this.#services;
    const { name, handler, params, isPort } = this.#inSandbox(request, target);
    const run: Handler = async (call) => {
      const inner = { ...call, path: pathOf(target), query: queryOf(target) };
      if (target.port === ENVD_PORT && isReserved(inner, preset)) return reserved(inner);
      const passage = await pass(call, target, this.#services);
      if ('reply' in passage) return passage.reply;
      if (target.port === ENVD_PORT) checkAccess(inner, passage.sandbox);
      const { sandbox } = passage;
      try {
        const reply = await handler(inner, sandbox, this.#services);
        return sandbox.isEnded && reply.status >= 400 ? gone(sandbox.id, this.#services) : reply;
      } catch (error) {
        if (sandbox.isEnded) return gone(sandbox.id, this.#services);
        throw error;
      }
    };
    return { route: { name, handler: run }, params, isPublic: isPort };
  }

  #inSandbox(
    { method = 'GET' }: IncomingMessage,
    target: Target,
  ): {
    name: string;
    handler: SandboxHandler;
    params: Readonly<Record<string, string>>;
    isPort: boolean;
  } {
    const isEnvd = target.port === ENVD_PORT;
    if (!isEnvd && target.port !== INTERPRETER_PORT) {
      return { name: PORT_ROUTE, handler: portHandler(target), params: {}, isPort: true };
    }
    const match = (isEnvd ? this.#envd : this.#interpreter).match(method, pathOf(target));
    if (match.kind === 'found') {
      const { route, params } = match;
      return { name: route.name, handler: route.handler, params, isPort: false };
    }
    const isWrongMethod = match.kind === 'wrong-method';
    // Go's mux answers in plain text, FastAPI in JSON.
    const handler: SandboxHandler = () =>
      isEnvd
        ? {
            status: isWrongMethod ? 405 : 404,
            headers: { 'content-type': 'text/plain; charset=utf-8' },
            body: isWrongMethod ? '' : '404 page not found\n',
          }
        : noInterpreterRoute(isWrongMethod);
    return { name: '*', handler, params: {}, isPort: false };
  }

  /**
   * A link to a file that a client made with one URL for all sandboxes names none: the signature
   * says whose it is, since it was made with the token of one.
   */
  #linked(request: IncomingMessage, path: string): Target | undefined {
    if (path !== '/files') return undefined;
    const url = request.url ?? '';
    const query = new URLSearchParams(url.slice(url.indexOf('?')));
    const operation = request.method === 'POST' ? 'write' : 'read';
    const owner = this.#services.sandboxes
      .list()
      .find(({ envdToken }) => envdToken !== undefined && isSigned(query, envdToken, operation));
    return owner && { id: owner.id, port: ENVD_PORT, path: url, prefix: '' };
  }
}

/** A refused upgrade, with the answer it is refused by. */
class Refusal extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super('upgrade refused');
    this.reply = reply;
  }
}

function routerOf(routes: Readonly<Record<string, SandboxHandler>>): Router<SandboxHandler> {
  const router = new Router<SandboxHandler>();
  for (const [name, handler] of Object.entries(routes)) router.on(name, handler);
  return router;
}

function pathOf({ path }: Target): string {
  const mark = path.indexOf('?');
  return mark < 0 ? path : path.slice(0, mark);
}

function queryOf({ path }: Target): URLSearchParams {
  const mark = path.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : path.slice(mark));
}
