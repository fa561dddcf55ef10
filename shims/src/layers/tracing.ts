import { isSandboxError, SandboxError } from '../provider/errors.ts';
import type { SandboxProvider } from '../provider/provider.ts';
import { withLayer } from './layer.ts';

type Attributes = Record<string, string | number | boolean>;

/** What is used of a span of OpenTelemetry. */
interface Span {
  setAttributes(attributes: Attributes): unknown;
  recordException(error: Error): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** What is used of a tracer of OpenTelemetry. */
export interface Tracer {
  startActiveSpan<T>(
    name: string,
    options: { kind: number; attributes: Attributes },
    run: (span: Span) => T,
  ): T;
}

export interface TracingOptions {
  /** Defaults to that of the package `@opentelemetry/api`, which then has to be installed. */
  tracer?: Tracer;
}

/** Numbers of OpenTelemetry: a span of a client, and the status of one that failed. */
const CLIENT = 2;
const ERROR = 2;

/** Tells OpenTelemetry of every call, with neither arguments nor results: `sandbox.exec` and the like. */
export function withTracing<P extends SandboxProvider>(
  provider: P,
  { tracer }: TracingOptions = {},
): P {
  let loading: Promise<Tracer> | undefined;
  const load = (): Promise<Tracer> => {
    loading ??= tracer === undefined ? installedTracer() : Promise.resolve(tracer);
    return loading;
  };
  return withLayer(provider, async ({ operation, provider: backend, sandboxId }, next) => {
    const attributes = {
      'sandbox.provider': backend,
      ...(sandboxId === undefined ? {} : { 'sandbox.id': sandboxId }),
    };
    const { startActiveSpan } = bindTracer(await load());
    return startActiveSpan(operation, { kind: CLIENT, attributes }, async (span) => {
      try {
        return await next();
      } catch (error) {
        if (isSandboxError(error)) span.setAttributes({ 'error.type': error.code });
        if (error instanceof Error) span.recordException(error);
        span.setStatus({ code: ERROR, message: error instanceof Error ? error.message : '' });
        throw error;
      } finally {
        span.end();
      }
    });
  });
}

function bindTracer(tracer: Tracer): Tracer {
  return { startActiveSpan: (...call) => tracer.startActiveSpan(...call) };
}

async function installedTracer(): Promise<Tracer> {
  const name = '@opentelemetry/api';
  try {
    const { trace } = (await import(name)) as { trace: { getTracer(name: string): Tracer } };
    return trace.getTracer('@cubeshift/sandbox');
  } catch (cause) {
    const told = 'Tracing needs the package @opentelemetry/api, or a tracer: npm install it';
    throw new SandboxError('configuration', told, { cause });
  }
}
