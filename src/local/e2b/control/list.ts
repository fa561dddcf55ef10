import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { queryInteger } from '../body.ts';
import { ApiError } from '../errors.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { E2bServices } from '../services.ts';
import type { ControlRoutes } from './handler.ts';
import { page } from './paging.ts';
import { listedShape, shownMetadata, shownState } from './shapes.ts';

const MAX_PAGE = 100;
/** Cube's first list. */
const MAX_V1 = 200;

export const LIST_ROUTES: ControlRoutes = {
  'GET /sandboxes': listV1,
  'GET /v2/sandboxes': (call, services) =>
    services.preset.quirks.listsOnePage ? listCube(call, services, 100) : listE2b(call, services),
};

/** Of E2B those that run; of Cube all, up to a limit. */
function listV1(call: Call, services: E2bServices): Reply {
  if (services.preset.quirks.listsOnePage) return listCube(call, services, MAX_V1);
  const wanted = metadataFilter(call, services);
  const found = services.sandboxes
    .list()
    .filter((sandbox) => sandbox.state === 'running' && wanted(sandbox))
    .reverse();
  return json(
    200,
    found.map((sandbox) => listedShape(sandbox, services)),
  );
}

function listE2b(call: Call, services: E2bServices): Reply {
  const { query } = call;
  const states = statesOf(query);
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    throw new ApiError(400, `Invalid order parameter: "${order}"`);
  }
  const wanted = metadataFilter(call, services);
  const after = startedAfter(query);
  const template = templateFilter(query, services);
  const matching = services.sandboxes
    .list()
    .filter((sandbox) => wanted(sandbox) && sandbox.startedAt >= after && template(sandbox));
  const shown = matching.filter(({ state }) => states.has(state));
  // The last to start first; of several in one millisecond the last made.
  const sorted = [...shown].sort((a, b) => a.startedAt - b.startedAt);
  if (order === 'desc') sorted.reverse();
  const { items, headers } = page(sorted, query, MAX_PAGE, ({ id }) => id);
  const running = matching.filter(({ state }) => state === 'running').length;
  return json(
    200,
    items.map((sandbox) => listedShape(sandbox, services)),
    { ...headers, ...(states.has('running') ? { 'x-total-running': running } : {}) },
  );
}

/** Cube: one page from the start, then the filters (its issues #1792 and #1785). */
function listCube({ query }: Call, services: E2bServices, fallback: number): Reply {
  const { quirks } = services.preset;
  const limit = Math.max(1, queryInteger(query, 'limit') ?? fallback);
  const all = services.sandboxes.list();
  const first = quirks.filtersAfterLimit ? all.slice(0, limit) : all;
  const state = query.get('state');
  const oneState = state === 'running' || state === 'paused' ? state : undefined;
  const metadata = query.get('metadata');
  const found = first.filter(
    (sandbox) =>
      (metadata === null || matchesRaw(shownMetadata(sandbox, services), metadata)) &&
      (oneState === undefined || shownState(sandbox, services) === oneState),
  );
  return json(
    200,
    found.slice(0, limit).map((sandbox) => listedShape(sandbox, services)),
  );
}

function matchesRaw(metadata: Readonly<Record<string, string>> | undefined, raw: string): boolean {
  if (metadata === undefined) return false;
  return raw.split('&').every((pair) => {
    const at = pair.indexOf('=');
    return at < 0 || metadata[pair.slice(0, at)] === pair.slice(at + 1);
  });
}

/** Keys and values were encoded twice before the query was. */
function metadataFilter({ query }: Call, services: E2bServices): (sandbox: LiveSandbox) => boolean {
  const raw = query.get('metadata');
  if (raw === null || raw === '') return () => true;
  let wanted: [string, string][];
  try {
    wanted = raw.split('&').map((pair) => {
      const [key = '', value = ''] = pair.split('=');
      return [plain(key), plain(value)];
    });
  } catch {
    throw new ApiError(400, 'Error parsing metadata');
  }
  return (sandbox) => {
    const metadata = shownMetadata(sandbox, services) ?? {};
    return wanted.every(([key, value]) => metadata[key] === value);
  };
}

function plain(text: string): string {
  return decodeURIComponent(decodeURIComponent(text.replaceAll('+', ' ')));
}

function statesOf(query: URLSearchParams): ReadonlySet<string> {
  const asked = query.getAll('state').flatMap((states) => states.split(','));
  const states = asked.length === 0 ? ['running', 'paused'] : asked;
  const unknown = states.find((state) => state !== 'running' && state !== 'paused');
  if (unknown !== undefined) {
    throw new ApiError(
      400,
      `parameter "state" in query has an error: value is not one of the allowed values ["running","paused"]`,
    );
  }
  return new Set(states);
}

function startedAfter(query: URLSearchParams): number {
  const text = query.get('startedAfter');
  if (text === null) return 0;
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    throw new ApiError(400, 'parameter "startedAfter" in query has an error: invalid date-time');
  }
  return time;
}

/** By id or name; one that does not exist matches nothing. */
function templateFilter(
  query: URLSearchParams,
  { templates }: E2bServices,
): (sandbox: LiveSandbox) => boolean {
  const reference = query.get('template');
  if (reference === null) return () => true;
  const id = templates.find(reference.replace(/^local\//, ''))?.id;
  return ({ spec }) => spec.template.templateId === id;
}
