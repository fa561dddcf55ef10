import type { Case } from '../kit.ts';
import { BAD_INPUT } from './bad-input.ts';
import { CODE } from './code.ts';
import { COPIES } from './copies.ts';
import { CREATE } from './create.ts';
import { ENDINGS } from './endings.ts';
import { EXEC } from './exec.ts';
import { FILES } from './files.ts';
import { FOLDERS } from './folders.ts';
import { GIT } from './git.ts';
import { IDENTITY } from './identity.ts';
import { LABELS } from './labels.ts';
import { LIFECYCLE } from './lifecycle.ts';
import { PORTS } from './ports.ts';
import { PTY } from './pty.ts';
import { SPAWN } from './spawn.ts';
import { TEMPLATES } from './templates.ts';
import { VOLUMES } from './volumes.ts';
import { WINDOWS } from './windows.ts';

/** All cases. Those that share a sandbox come first, so that it is made once. */
export const CASES: readonly Case[] = [
  ...EXEC,
  ...ENDINGS,
  ...SPAWN,
  ...FILES,
  ...FOLDERS,
  ...GIT,
  ...CODE,
  ...PTY,
  ...BAD_INPUT,
  ...TEMPLATES,
  ...IDENTITY,
  ...CREATE,
  ...LABELS,
  ...WINDOWS,
  ...PORTS,
  ...LIFECYCLE,
  ...COPIES,
  ...VOLUMES,
];
