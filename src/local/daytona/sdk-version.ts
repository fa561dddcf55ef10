import type { IncomingMessage } from 'node:http';
import { header } from '../http/guard.ts';
import { DaytonaFailure } from './errors.ts';

const HEADER = 'x-daytona-sdk-version';

/**
 * Tried are 0.132, 0.154, 0.167, 0.175, 0.196, 0.216 and 0.218. Older ones reach ports by names that
 * do not lead here, or take a sandbox that is gone for a failure.
 */
const OLDEST_SDK = [0, 132, 0] as const;

/** The version a client's SDK says it has; undefined for none, and for development builds. */
export function sdkVersion(request: IncomingMessage): readonly number[] | undefined {
  // Browsers cannot set headers for a WebSocket.
  const offered = /(?:^|,)\s*X-Daytona-SDK-Version~([^,\s]+)/i.exec(
    request.headers['sec-websocket-protocol'] ?? '',
  )?.[1];
  const version = header(request, HEADER) ?? offered;
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? '');
  if (numbers === null || version?.includes('dev') || numbers[0] === '0.0.0') return undefined;
  return numbers.slice(1).map(Number);
}

export function isOlder(version: readonly number[], than: readonly number[]): boolean {
  for (const [index, number] of than.entries()) {
    const own = version[index] ?? 0;
    if (own !== number) return own < number;
  }
  return false;
}

/** @throws DaytonaFailure 400 for SDKs that this front does not imitate the service for */
export function checkVersion(request: IncomingMessage): void {
  const version = sdkVersion(request);
  if (version === undefined || !isOlder(version, OLDEST_SDK)) return;
  const oldest = OLDEST_SDK.join('.');
  throw new DaytonaFailure(
    400,
    `cubeshift local serves Daytona SDKs from ${oldest} on; this is ${version.join('.')}. Update @daytonaio/sdk or daytona`,
    'SDK_VERSION_NOT_SUPPORTED',
  );
}
