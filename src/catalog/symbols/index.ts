import type { TypeEntry } from '../types.ts';
import { API_CLIENT } from './api-client.ts';
import { CHARTS } from './charts.ts';
import { CLIENT } from './client.ts';
import { CODE_INTERPRETER } from './code-interpreter.ts';
import { COMPUTER_USE } from './computer-use.ts';
import { CREATE_PARAMS } from './create-params.ts';
import { ENUMS } from './enums.ts';
import { ERRORS } from './errors.ts';
import { FILES } from './files.ts';
import { GIT } from './git.ts';
import { IMAGE_TYPES } from './image.ts';
import { LSP_TYPES } from './lsp.ts';
import { PROCESS } from './process.ts';
import { PTY_TYPES } from './pty.ts';
import { SANDBOX } from './sandbox.ts';
import { SECRET_TYPES } from './secret.ts';
import { SNAPSHOT_TYPES } from './snapshot.ts';
import { VOLUME_TYPES } from './volume.ts';
import { WARM_POOL_TYPES } from './warm-pool.ts';

/** One part of the Daytona API. */
export interface Area {
  title: string;
  types: readonly TypeEntry[];
}

/** The whole table, in the order the documentation shows it. */
export const AREAS: readonly Area[] = [
  { title: 'Client', types: CLIENT },
  { title: 'Creation parameters', types: CREATE_PARAMS },
  { title: 'Sandbox', types: SANDBOX },
  { title: 'Processes and sessions', types: PROCESS },
  { title: 'Pseudo-terminals', types: PTY_TYPES },
  { title: 'Code interpreter', types: CODE_INTERPRETER },
  { title: 'Files', types: FILES },
  { title: 'Git', types: GIT },
  { title: 'Volumes', types: VOLUME_TYPES },
  { title: 'Snapshots', types: SNAPSHOT_TYPES },
  { title: 'Declarative images', types: IMAGE_TYPES },
  { title: 'Secrets', types: SECRET_TYPES },
  { title: 'Warm pools', types: WARM_POOL_TYPES },
  { title: 'Language servers', types: LSP_TYPES },
  { title: 'Computer use', types: COMPUTER_USE },
  { title: 'Charts', types: CHARTS },
  { title: 'Enumerations', types: ENUMS },
  { title: 'Errors', types: ERRORS },
  { title: 'Generated API clients', types: API_CLIENT },
];
