import type { Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { E2bServices } from '../services.ts';

/** Answers a request that leads into a sandbox. */
export type SandboxHandler = (
  call: Call,
  sandbox: LiveSandbox,
  services: E2bServices,
) => Reply | Promise<Reply>;
