/**
 * The one place that loads the TypeScript compiler. It is our own pinned copy (6.x, the last line
 * with an in-process API) and never the user's: their `typescript` may be 7, which has none.
 * Importing this module costs about 85 ms, so everything in this folder is loaded lazily.
 */
import ts from 'typescript';

export { ts };
