import { SandboxError } from '../provider/errors.ts';
import type { SandboxProvider } from '../provider/provider.ts';
import { Rest } from './http/rest.ts';

/** How a running `cubeshift local` is reached. */
export interface LocalProviderOptions {
  /** First part of the ids of its sandboxes. Defaults to `local`. */
  name?: string;
  /** Which of its protocols to speak. Defaults to `e2b`, in the flavour it was started with. */
  protocol?: 'e2b' | 'daytona';
  /** Defaults to `http://127.0.0.1:7330`, and port 7331 for Daytona's protocol. */
  url?: string;
  /** The key it was started with or has printed. Defaults to `CUBESHIFT_LOCAL_KEY`. */
  apiKey?: string;
  /** Defaults to one that is there. */
  template?: string;
}

/** What the server says of itself. */
interface Status {
  e2b?: { preset: string; templateId: string };
}

const URLS = { e2b: 'http://127.0.0.1:7330', daytona: 'http://127.0.0.1:7331' } as const;

/**
 * The provider that fits a running `cubeshift local`, a server for development on one's own machine.
 *
 * @throws {SandboxError} `configuration` when the key is missing; `unavailable` when it does not run
 */
export async function localProvider(options: LocalProviderOptions): Promise<SandboxProvider> {
  const { name = 'local', protocol = 'e2b', template } = options;
  const apiKey = options.apiKey ?? process.env.CUBESHIFT_LOCAL_KEY ?? '';
  const url = (options.url ?? URLS[protocol]).replace(/\/+$/, '');
  if (apiKey === '') {
    const told =
      'The local server needs its key: set CUBESHIFT_LOCAL_KEY before it starts, and here';
    throw new SandboxError('configuration', told, { provider: name });
  }
  const rest = new Rest({
    provider: `the local server (start it with "npx cubeshift local")`,
    baseUrl: url,
    headers: { 'x-api-key': apiKey },
    timeoutMs: 10_000,
  });
  const { e2b } = await rest.must<Status>('GET', '/_cubeshift/status');
  if (protocol === 'daytona') {
    const { DaytonaProvider } = await import('./daytona/index.ts');
    const given = template === undefined ? {} : { template };
    return new DaytonaProvider({ name, apiKey, apiUrl: `${url}/api`, ...given });
  }
  const base = template ?? e2b?.templateId;
  const common = { name, apiKey, apiUrl: url, ...(base === undefined ? {} : { template: base }) };
  if (e2b?.preset === 'e2b') {
    const { E2BProvider } = await import('./e2b/index.ts');
    return new E2BProvider({ ...common, sandboxUrl: url });
  }
  const { CubeProvider } = await import('./cube/index.ts');
  return new CubeProvider({ ...common, proxyUrl: url });
}
