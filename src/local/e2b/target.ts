import type { IncomingMessage } from 'node:http';
import { header } from '../http/guard.ts';
import type { Preset } from './presets.ts';

/** The port of a sandbox that a request is meant for. */
export interface Target {
  readonly id: string;
  readonly port: number;
  /** Path and query as the sandbox is to see them. */
  readonly path: string;
  /** What stood before the path; empty unless the sandbox is chosen by path. */
  readonly prefix: string;
}

/** What envd listens on in every sandbox. */
export const ENVD_PORT = 49983;
/** The code interpreter. */
export const INTERPRETER_PORT = 49999;

/** Both services' grammar: digits, a dash, and everything up to the first dot. */
const HOST = /^(\d{1,5})-([^.]+)\./;
/** Cube's proxy (lua/path_rewrite_phase.lua). */
const PATH = /^\/sandbox\/([\w-]+)\/(\d{1,5})(?=\/|\?|$)/;

/**
 * Which sandbox a request leads into: by path, by the name it was sent to, or by the headers that
 * E2B's clients add when one URL stands for all sandboxes. Undefined: it is for the control plane.
 */
export function targetOf(request: IncomingMessage, preset: Preset): Target | undefined {
  const { headers, url = '/' } = request;
  const byPath = preset.proxy.hasPaths ? PATH.exec(url) : null;
  if (byPath !== null) {
    const [prefix, id = '', port] = byPath;
    const rest = url.slice(prefix.length);
    const path = rest.startsWith('/') ? rest : `/${rest}`;
    return target(id, port, path, prefix);
  }
  const byHost = HOST.exec(headers.host ?? '');
  if (byHost !== null) return target(byHost[2] ?? '', byHost[1], url, '');
  const id = header(request, 'e2b-sandbox-id');
  if (id === undefined) return undefined;
  return target(id, header(request, 'e2b-sandbox-port') ?? `${ENVD_PORT}`, url, '');
}

function target(id: string, port: string | undefined, path: string, prefix: string): Target {
  return { id, port: Number(port), path, prefix };
}
