import { DaytonaFailure } from '../errors.ts';
import type { BoxRoutes } from './route.ts';

/** What the service has and this server does not, by the beginning of its routes. */
const MISSING = {
  '/lsp': 'language servers',
  '/computeruse': 'a desktop to look at and use',
} as const;

/** Says so, which a bare 404 would not. */
export function unsupportedRoutes(routes: BoxRoutes): void {
  for (const [path, what] of Object.entries(MISSING)) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      routes.on(`${method} ${path}/*`, () => {
        throw new DaytonaFailure(501, `cubeshift local has no ${what}`, 'NOT_IMPLEMENTED');
      });
    }
  }
}
