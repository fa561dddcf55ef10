import type { Backend } from '../../shims/src/config/settings.ts';
import { cubeConnectionOf } from '../../shims/src/providers/cube/options.ts';
import { probe } from '../../shims/src/providers/cube/server.ts';
import { connectionOf } from '../../shims/src/providers/e2b/options.ts';
import { Rest } from '../../shims/src/providers/http/rest.ts';
import { dotenvOf } from './dotenv.ts';
import { findSdk, loadDaytona, loadE2b } from './sdk.ts';
import { isLoopback, type Setting, type Subject } from './subject.ts';

/** A provider of a known backend, as it is configured. */
export interface Source {
  name: string;
  backend: Backend;
  options: Readonly<Record<string, unknown>>;
}

/** Where programs run, and what they find there. */
export interface Place {
  folder: string;
  env: NodeJS.ProcessEnv;
}

const TIMEOUT_MS = 10_000;
const DAYTONA_API = 'https://app.daytona.io/api';
const LOCAL_URLS = { e2b: 'http://127.0.0.1:7330', daytona: 'http://127.0.0.1:7331' } as const;

/** Gathers what the checks of a provider need. Asks nothing but a local server what it is. */
export async function subjectOf(source: Source, place: Place): Promise<Subject> {
  const options = new Options(source, place.env);
  if (source.backend === 'cube') return maybeLocal(cubeSubject(source, place, options));
  if (source.backend === 'e2b') return e2bSubject(source, place, options);
  if (source.backend === 'daytona') return daytonaSubject(source, place, options);
  return localSubject(source, place, options);
}

/** Settings of a provider, each with the place where it is changed. */
class Options {
  readonly #source: Source;
  readonly #env: NodeJS.ProcessEnv;

  constructor(source: Source, env: NodeJS.ProcessEnv) {
    this.#source = source;
    this.#env = env;
  }

  /** What the configuration says, else the first of the variables that is set. */
  setting(option: string, ...variables: string[]): Setting<string | undefined> {
    const place = `"${option}" of the provider "${this.#source.name}"`;
    const given = this.#source.options[option];
    if (typeof given === 'string') return { value: given || undefined, where: place };
    const set = variables.find((name) => this.#env[name] !== undefined);
    const [first] = variables;
    return {
      value: set === undefined ? undefined : this.#env[set] || undefined,
      where: set ?? first ?? place,
    };
  }
}

function cubeSubject(source: Source, { folder, env }: Place, options: Options): Subject {
  const { name, backend } = source;
  const given = options.setting('apiUrl', 'CUBE_API_URL', 'E2B_API_URL');
  // An address that is none is told by a check.
  const isAddress = given.value === undefined || URL.canParse(given.value);
  const usable = isAddress
    ? source.options
    : { ...source.options, apiUrl: 'http://127.0.0.1:3000' };
  const { apiKey, apiUrl, proxyUrl } = cubeConnectionOf(usable, env);
  const proxy = options.setting('proxyUrl', 'CUBE_PROXY_NODE_IP', 'CUBE_PROXY_PORT_HTTP');
  const rest = restOf(name, apiUrl, { 'x-api-key': apiKey });
  const sdk = findSdk(['e2b'], folder);
  return {
    ...{ name, backend, rest, sdk },
    kind: 'cube',
    apiUrl: { value: isAddress ? apiUrl : (given.value ?? ''), where: given.where },
    dataUrl: { value: proxyUrl, where: proxy.where },
    apiKey: options.setting('apiKey', 'CUBE_API_KEY', 'E2B_API_KEY'),
    template: options.setting('template', 'CUBE_TEMPLATE_ID'),
    isLocalServer: false,
    server: isAddress ? once(() => probe(rest, name, apiUrl, {})) : noServer,
    makeProvider: async () => {
      const { CubeProvider } = await import('../../shims/src/providers/cube/index.ts');
      return new CubeProvider({ ...source.options, name, sdk: loadE2b(sdk) });
    },
  };
}

function e2bSubject(source: Source, { folder, env }: Place, options: Options): Subject {
  const { name, backend } = source;
  const { apiKey, apiUrl, domain, sandboxUrl, template } = connectionOf(source.options, env);
  const sdk = findSdk(['e2b'], folder);
  const url = options.setting('apiUrl', 'E2B_API_URL', 'E2B_DOMAIN');
  const data = options.setting('sandboxUrl', 'E2B_SANDBOX_URL', 'E2B_DOMAIN');
  return {
    ...{ name, backend, sdk },
    kind: 'e2b',
    rest: restOf(name, apiUrl, { 'x-api-key': apiKey }),
    apiUrl: { value: apiUrl, where: url.where },
    // Any name below the domain leads to the same place.
    dataUrl: { value: sandboxUrl ?? `https://49983-cubeshift.${domain}`, where: data.where },
    apiKey: options.setting('apiKey', 'E2B_API_KEY'),
    template: { ...options.setting('template'), value: template },
    isLocalServer: false,
    server: noServer,
    makeProvider: async () => {
      const { E2BProvider } = await import('../../shims/src/providers/e2b/index.ts');
      return new E2BProvider({ ...source.options, name, sdk: loadE2b(sdk) });
    },
  };
}

function daytonaSubject(source: Source, { folder, env }: Place, _options: Options): Subject {
  const { name, backend } = source;
  const options = new Options(source, { ...dotenvOf(folder), ...env });
  const apiUrl = options.setting('apiUrl', 'DAYTONA_API_URL', 'DAYTONA_SERVER_URL');
  const apiKey = options.setting('apiKey', 'DAYTONA_API_KEY', 'DAYTONA_JWT_TOKEN');
  const organization = options.setting('organizationId', 'DAYTONA_ORGANIZATION_ID').value;
  const url = (apiUrl.value ?? DAYTONA_API).replace(/\/+$/, '');
  const sdk = findSdk(['@daytona/sdk', '@daytonaio/sdk'], folder);
  return {
    ...{ name, backend, sdk, apiKey },
    kind: 'daytona',
    rest: restOf(name, url, {
      ...(apiKey.value === undefined ? {} : { authorization: `Bearer ${apiKey.value}` }),
      ...(organization === undefined ? {} : { 'x-daytona-organization-id': organization }),
    }),
    apiUrl: { value: url, where: apiUrl.where },
    dataUrl: undefined,
    template: options.setting('template'),
    isLocalServer: false,
    server: noServer,
    makeProvider: async () => {
      const { DaytonaProvider } = await import('../../shims/src/providers/daytona/index.ts');
      const sdkVersion = sdk.version?.join('.');
      const known = sdkVersion === undefined ? {} : { sdkVersion };
      return new DaytonaProvider({ ...source.options, name, sdk: loadDaytona(sdk), ...known });
    },
  };
}

/** A local server is also reached as the CubeSandbox that it imitates. */
async function maybeLocal(subject: Subject): Promise<Subject> {
  const isNear = isLoopback(subject.apiUrl.value);
  const isLocalServer = isNear && (await localStatus(subject.rest)) !== undefined;
  return { ...subject, isLocalServer };
}

/** What a local server says of itself. */
interface LocalStatus {
  e2b?: { preset: string; templateId: string };
}

/** A local server speaks one of the other protocols; which one, it tells. */
async function localSubject(source: Source, place: Place, options: Options): Promise<Subject> {
  const isDaytona = source.options.protocol === 'daytona';
  const url = options.setting('url').value ?? LOCAL_URLS[isDaytona ? 'daytona' : 'e2b'];
  const base = url.replace(/\/+$/, '');
  const key = options.setting('apiKey', 'CUBESHIFT_LOCAL_KEY');
  const status = await localStatus(restOf(source.name, base, { 'x-api-key': key.value ?? '' }));
  const template = options.setting('template').value ?? status?.e2b?.templateId;
  const common = {
    ...(key.value === undefined ? {} : { apiKey: key.value }),
    ...(template === undefined || isDaytona ? {} : { template }),
  };
  const inner = { name: source.name, backend: source.backend };
  const env = {};
  const speak = (options: Record<string, string>, make: typeof cubeSubject): Subject => {
    const its = { ...inner, options };
    return make(its, { ...place, env }, new Options(its, env));
  };
  const subject = isDaytona
    ? speak({ ...common, apiUrl: `${base}/api` }, daytonaSubject)
    : status?.e2b?.preset === 'e2b'
      ? speak({ ...common, apiUrl: base, sandboxUrl: base }, e2bSubject)
      : speak({ ...common, apiUrl: base, proxyUrl: base }, cubeSubject);
  const where = `"url" of the provider "${source.name}"`;
  return {
    ...subject,
    apiUrl: { ...subject.apiUrl, where },
    ...(subject.dataUrl === undefined ? {} : { dataUrl: { ...subject.dataUrl, where } }),
    apiKey: key,
    isLocalServer: true,
  };
}

/** `undefined` when it is not there, or does not know the key; checks tell which. */
async function localStatus(rest: Rest): Promise<LocalStatus | undefined> {
  try {
    const { status, body } = await rest.ask('GET', '/_cubeshift/status');
    return status === 200 ? (body as LocalStatus) : undefined;
  } catch {
    return undefined;
  }
}

function restOf(provider: string, baseUrl: string, headers: Record<string, string>): Rest {
  return new Rest({ provider, baseUrl, headers, timeoutMs: TIMEOUT_MS });
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

/** Nothing else has what a CubeSandbox tells. */
function noServer(): Promise<never> {
  return Promise.reject(new Error('Only a CubeSandbox has this'));
}
