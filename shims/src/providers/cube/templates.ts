import { SandboxError } from '../../provider/errors.ts';
import type { Template, TemplateBuild } from '../../provider/services.ts';
import { wait } from '../../provider/signals.ts';
import { E2BTemplates } from '../e2b/services.ts';

interface Job {
  jobID?: string;
  buildID?: string;
  templateID: string;
}

interface JobStatus {
  status: string;
  message?: string;
  progress?: number;
}

const POLL_MS = 2_000;

/** Templates of a CubeSandbox, which it makes of images that are in a registry and hold envd. */
export class CubeTemplates extends E2BTemplates {
  override async build(build: TemplateBuild): Promise<Template> {
    const { signal, onLogs, timeoutMs } = build;
    const { rest } = await this.control();
    const job = await rest.must<Job>('POST', '/templates', { body: bodyOf(build), signal });
    const path = `/templates/${job.templateID}/builds/${job.buildID ?? job.jobID}/status`;
    const until = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
    let said = '';
    for (;;) {
      const {
        status,
        message = '',
        progress,
      } = await rest.must<JobStatus>('GET', path, { signal });
      const line = `${status}${progress === undefined ? '' : ` ${progress}%`} ${message}`.trim();
      if (line !== said) onLogs?.(`${line}\n`);
      said = line;
      const state = status.toLowerCase();
      if (state === 'ready') return { id: job.templateID, name: build.name, status: 'ready' };
      if (state === 'failed' || state === 'error') {
        const told = `The template ${build.name} could not be built: ${message}`;
        throw new SandboxError('conflict', told, { retryable: false });
      }
      if (Date.now() > until) {
        const told = `The template ${build.name} was not built in ${timeoutMs} ms; it goes on`;
        throw new SandboxError('timeout', told);
      }
      await wait(POLL_MS, signal);
    }
  }
}

function bodyOf(build: TemplateBuild): Record<string, unknown> {
  const { name, image, cpu, memoryMb, diskMb, startCommand, env, ports } = build;
  return {
    name,
    image,
    // Thousandths of a processor.
    ...(cpu === undefined ? {} : { cpu: cpu * 1000 }),
    ...(memoryMb === undefined ? {} : { memory: memoryMb }),
    ...(diskMb === undefined ? {} : { writableLayerSize: `${diskMb}M` }),
    ...(startCommand === undefined ? {} : { command: ['/bin/sh', '-c', startCommand] }),
    ...(env === undefined
      ? {}
      : { env: Object.entries(env).map(([key, value]) => `${key}=${value}`) }),
    ...(ports === undefined ? {} : { exposedPorts: ports }),
  };
}
