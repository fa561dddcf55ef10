import { randomUUID } from 'node:crypto';
import type { FrontContext } from '../front.ts';
import { Builds } from './builds.ts';
import { Events } from './events.ts';
import type { Lookup } from './names.ts';
import { ObjectStorage } from './object-storage.ts';
import { Previews } from './previews.ts';
import { Sandboxes } from './sandboxes.ts';
import { Secrets } from './secrets.ts';
import { Snapshots } from './snapshots.ts';
import { SshAccess } from './ssh-access.ts';
import { Volumes } from './volumes.ts';
import { WarmPools } from './warm-pools.ts';

/** Everything one front knows: the stores, and what they need of each other. */
export class World {
  readonly context: FrontContext;
  readonly organizationId = randomUUID();
  readonly userId = randomUUID();
  readonly runnerId = randomUUID();
  readonly events: Events;
  readonly sandboxes: Sandboxes;
  readonly snapshots: Snapshots;
  readonly builds: Builds;
  readonly volumes: Volumes;
  readonly secrets: Secrets;
  readonly warmPools: WarmPools;
  readonly previews: Previews;
  readonly sshAccess: SshAccess;
  readonly objects: ObjectStorage;

  constructor(context: FrontContext, lookup?: Lookup) {
    this.context = context;
    this.events = new Events(context.key);
    this.objects = new ObjectStorage(context.volumes);
    this.sandboxes = new Sandboxes(this);
    this.snapshots = new Snapshots(this);
    this.builds = new Builds(this);
    this.volumes = new Volumes(this);
    this.secrets = new Secrets(this);
    this.warmPools = new WarmPools(this);
    this.previews = new Previews(this, lookup);
    this.sshAccess = new SshAccess(this);
  }

  now(): number {
    return this.context.engine.clock.now();
  }

  /** Clients put the sandbox's id behind it. */
  toolboxUrl(): string {
    return `${this.context.origin()}/toolbox`;
  }
}
