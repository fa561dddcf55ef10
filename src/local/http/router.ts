import type { IncomingMessage } from 'node:http';
import type { Reply } from './reply.ts';

/** A request, as a handler sees it. */
export interface Call {
  readonly request: IncomingMessage;
  /** Values of the `:names` in the route's path, decoded; of a final `*` under the name `*`. */
  readonly params: Readonly<Record<string, string>>;
  /** The path without the query, as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborted when the client goes away before the answer is complete. */
  readonly signal: AbortSignal;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

/** Something that answers a kind of request. */
export interface Route<H> {
  /** `METHOD /path/:with/:names`: how documents, logs and fault rules call it. */
  readonly name: string;
  readonly handler: H;
}

export type Match<H> =
  | { kind: 'found'; route: Route<H>; params: Record<string, string> }
  /** The path exists for other methods. */
  | { kind: 'wrong-method'; allowed: string[] }
  | { kind: 'unknown' };

interface Node<H> {
  readonly fixed: Map<string, Node<H>>;
  param?: { name: string; node: Node<H> };
  rest?: Map<string, Route<H>>;
  readonly routes: Map<string, Route<H>>;
}

/**
 * Finds handlers by method and path. A pattern's segments are fixed, `:name`, or a final `*` for
 * any number of further ones; fixed segments come before names, names before `*`.
 */
export class Router<H = Handler> {
  readonly #root: Node<H> = node();
  readonly #names: string[] = [];

  /** Adds a route: `GET /sandboxes/:id`. */
  on(name: string, handler: H): this {
    const [method = '', path = ''] = name.split(' ');
    let at = this.#root;
    for (const segment of path.split('/').slice(1)) {
      if (segment === '*') {
        at.rest ??= new Map();
        at.rest.set(method, { name, handler });
        this.#names.push(name);
        return this;
      }
      at = step(at, segment);
    }
    if (at.routes.has(method)) throw new Error(`route '${name}' exists twice`);
    at.routes.set(method, { name, handler });
    this.#names.push(name);
    return this;
  }

  /** All routes, in the order they were added. */
  get names(): readonly string[] {
    return this.#names;
  }

  match(method: string, path: string): Match<H> {
    const segments = path.split('/').slice(1);
    const found = find(this.#root, segments, 0, {});
    if (found === undefined) return { kind: 'unknown' };
    const { routes, params } = found;
    const route = routes.get(method) ?? (method === 'HEAD' ? routes.get('GET') : undefined);
    if (route === undefined) return { kind: 'wrong-method', allowed: [...routes.keys()] };
    return { kind: 'found', route, params };
  }
}

function node<H>(): Node<H> {
  return { fixed: new Map(), routes: new Map() };
}

function step<H>(at: Node<H>, segment: string): Node<H> {
  if (segment.startsWith(':')) {
    const name = segment.slice(1);
    at.param ??= { name, node: node() };
    if (at.param.name !== name)
      throw new Error(`'${segment}' is called ':${at.param.name}' before`);
    return at.param.node;
  }
  let next = at.fixed.get(segment);
  if (next === undefined) {
    next = node();
    at.fixed.set(segment, next);
  }
  return next;
}

function find<H>(
  at: Node<H>,
  segments: readonly string[],
  index: number,
  params: Record<string, string>,
): { routes: Map<string, Route<H>>; params: Record<string, string> } | undefined {
  const segment = segments[index];
  if (segment === undefined) {
    return at.routes.size > 0 ? { routes: at.routes, params } : undefined;
  }
  const fixed = at.fixed.get(segment);
  const byName = fixed && find(fixed, segments, index + 1, params);
  if (byName !== undefined) return byName;
  if (at.param !== undefined && segment !== '') {
    const value = decode(segment);
    const { name, node } = at.param;
    const byParam = find(node, segments, index + 1, { ...params, [name]: value });
    if (byParam !== undefined) return byParam;
  }
  if (at.rest === undefined) return undefined;
  return { routes: at.rest, params: { ...params, '*': segments.slice(index).join('/') } };
}

/** A broken escape stands for itself: no id looks like that, so the answer is `not found`. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
