import type { Engine } from './engine/engine.ts';
import type { Listening, Site } from './http/server.ts';
import type { VolumeFolders } from './volumes.ts';

/** What a protocol front gets to work with. */
export interface FrontContext {
  readonly engine: Engine;
  /** The secret that clients must show, in the form this protocol's clients accept. */
  readonly key: string;
  readonly volumes: VolumeFolders;
  /** `http://host:port` of this front; known once it listens, so ask when answering. */
  readonly origin: () => string;
  /** Serves something else on a free port beside the front's own; left out where none is to open. */
  readonly listen?: (site: Site) => Promise<Listening>;
  /** Hears of what went wrong with nobody to tell, e.g. in a timer. */
  readonly onError: (error: unknown) => void;
}

/** One protocol over the engine. */
export interface ProtocolFront extends Site {
  /** Names of all routes, for rules about faults. */
  readonly routes: readonly string[];
  /** Loses what a restart of the imitated service's host loses: sandboxes that run. */
  restart(): Promise<void>;
  /** Cancels timers and open streams. The engine's sandboxes end with the engine. */
  close(): Promise<void>;
}
