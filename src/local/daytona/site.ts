import type { IncomingMessage } from 'node:http';
import type { ProtocolFront } from '../front.ts';
import { bearer, sameSecret } from '../http/guard.ts';
import { json, plain, type Reply } from '../http/reply.ts';
import { type Call, type Handler, Router } from '../http/router.ts';
import type { Found, Site, UpgradeCall, UpgradeHandler } from '../http/server.ts';
import { checkAccess, isSigned } from './access.ts';
import { secretRoutes, serviceRoutes, volumeRoutes, warmPoolRoutes } from './control/others.ts';
import { previewRoutes } from './control/previews.ts';
import { sandboxRoutes } from './control/sandboxes.ts';
import { snapshotRoutes } from './control/snapshots.ts';
import { DaytonaFailure, failureReply } from './errors.ts';
import { loseProcesses } from './lifecycle.ts';
import type { PreviewTarget } from './preview-ports.ts';
import { Previews } from './previews.ts';
import { checkVersion } from './sdk-version.ts';
import { bulkRoutes } from './toolbox/bulk.ts';
import { fileRoutes } from './toolbox/files.ts';
import { findRoutes } from './toolbox/find.ts';
import { gitRoutes } from './toolbox/git.ts';
import { infoRoutes } from './toolbox/info.ts';
import { interpreterRoutes } from './toolbox/interpreter.ts';
import { processRoutes } from './toolbox/process.ts';
import { ptyRoutes } from './toolbox/pty-routes.ts';
import { BoxRoutes } from './toolbox/route.ts';
import { sessionRoutes } from './toolbox/sessions.ts';
import { unsupportedRoutes } from './toolbox/unsupported.ts';
import type { World } from './world.ts';

/** Where clients before 0.113 find the toolbox. */
const OLD_TOOLBOX = /^\/api\/toolbox\/([^/]+)\/toolbox(?=\/|$)/;

/** The port on which the daemon itself would listen. */
const TOOLBOX_PORT = 2280;

/** What listens in a sandbox has no routes that are known here. */
const PREVIEW_ROUTE = 'PREVIEW *';

/** Finds what answers a request: a port of a sandbox by host name, else a route by path. */
export class DaytonaSite implements ProtocolFront {
  readonly #world: World;
  readonly #router = new Router();
  readonly #upgrades = new Router<UpgradeHandler>();

  constructor(world: World) {
    this.#world = world;
    world.previews.siteOf = (target) => this.#behind(target);
    const router = this.#router;
    serviceRoutes(world, router);
    previewRoutes(world, router);
    sandboxRoutes(world, router);
    snapshotRoutes(world, router);
    volumeRoutes(world, router);
    secretRoutes(world, router);
    warmPoolRoutes(world, router);
    this.#upgrades.on('GET /api/socket.io/', (call) => world.events.accept(call));
    const boxes = new BoxRoutes(world, router, this.#upgrades);
    for (const add of [
      infoRoutes,
      processRoutes,
      sessionRoutes,
      ptyRoutes,
      interpreterRoutes,
      fileRoutes,
      bulkRoutes,
      findRoutes,
      gitRoutes,
      unsupportedRoutes,
    ]) {
      add(boxes);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
      router.on(`${method} /s3/*`, (call) => world.objects.serve(call));
    }
  }

  /** All routes, for documents and checks. */
  get routes(): readonly string[] {
    return [...this.#router.names, ...this.#upgrades.names, PREVIEW_ROUTE];
  }

  find(request: IncomingMessage, path: string): Found<Handler> {
    return this.#find(Previews.target(request), request, path);
  }

  findUpgrade(request: IncomingMessage, path: string): Found<UpgradeHandler> {
    return this.#findUpgrade(Previews.target(request), path);
  }

  /** What is behind one port of a sandbox, whatever the host name. */
  #behind(target: PreviewTarget): Site {
    return {
      find: (request, path) => this.#find(target, request, path),
      findUpgrade: (_request, path) => this.#findUpgrade(target, path),
      failure: (error, path) => this.failure(error, path),
    };
  }

  #find(target: PreviewTarget | undefined, request: IncomingMessage, path: string): Found<Handler> {
    if (target !== undefined && target.port !== TOOLBOX_PORT) {
      const handler: Handler = (call) => this.#world.previews.serve(target, call);
      return { route: { name: PREVIEW_ROUTE, handler }, params: {}, isPublic: true };
    }
    const at = pathOf(path, target);
    const match = this.#router.match(request.method ?? 'GET', at);
    if (match.kind !== 'found') {
      return { route: { name: '*', handler: () => unknown(request, at) }, params: {} };
    }
    const { route, params } = match;
    const handler: Handler = (call) => {
      this.#check(at, call);
      return route.handler(call);
    };
    return { route: { name: route.name, handler }, params, isPublic: isSigned(at, request) };
  }

  #findUpgrade(target: PreviewTarget | undefined, path: string): Found<UpgradeHandler> {
    if (target !== undefined && target.port !== TOOLBOX_PORT) {
      const handler: UpgradeHandler = (call) => this.#world.previews.upgrade(target, call);
      return { route: { name: PREVIEW_ROUTE, handler }, params: {}, isPublic: true };
    }
    const at = pathOf(path, target);
    const match = this.#upgrades.match('GET', at);
    if (match.kind !== 'found') throw new DaytonaFailure(404, `Cannot GET ${at}`);
    const { route, params } = match;
    const handler: UpgradeHandler = (call: UpgradeCall) => {
      // The events' own first packet shows the key.
      if (!at.startsWith('/api/socket.io')) this.#check(at, { ...call, params });
      return route.handler(call);
    };
    return { route: { name: route.name, handler }, params };
  }

  failure(error: unknown, path: string): Reply {
    return failureReply(error, sourceOf(path), path, this.#world.now());
  }

  async restart(): Promise<void> {
    const records = this.#world.sandboxes.all();
    await Promise.all(records.map((record) => loseProcesses(this.#world, record)));
    this.#world.events.close();
  }

  async close(): Promise<void> {
    this.#world.events.close();
    await this.#world.previews.close();
    for (const record of this.#world.sandboxes.all()) {
      record.cancelTimer?.();
      record.box?.close();
    }
    await this.#world.objects.close();
  }

  #check(path: string, call: Call): void {
    if (path.startsWith('/s3/') || path === '/api/health' || path === '/api/config') return;
    checkVersion(call.request);
    const { key } = this.#world.context;
    if (sameSecret(bearer(call.request), key)) return;
    if (path.startsWith('/toolbox/')) checkAccess(this.#world, path, call);
    else throw new DaytonaFailure(401, 'Unauthorized');
  }
}

/** The path as routes are written. */
function pathOf(path: string, target: PreviewTarget | undefined): string {
  if (target !== undefined) return `/toolbox/${target.name}${path}`;
  return path.replace(OLD_TOOLBOX, '/toolbox/$1');
}

function sourceOf(path: string): 'DAYTONA_API' | 'DAYTONA_DAEMON' {
  return path.startsWith('/api/') && !OLD_TOOLBOX.test(path) ? 'DAYTONA_API' : 'DAYTONA_DAEMON';
}

/** The control plane says so in JSON, the daemon in a line of text. */
function unknown({ method }: IncomingMessage, path: string): Reply {
  if (path.startsWith('/toolbox/')) return plain(404, '404 page not found');
  if (path.startsWith('/api')) throw new DaytonaFailure(404, `Cannot ${method} ${path}`);
  return json(404, { statusCode: 404, message: `Cannot ${method} ${path}`, error: 'Not Found' });
}
