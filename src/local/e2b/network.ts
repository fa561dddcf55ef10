import { Fields } from './body.ts';
import { ApiError } from './errors.ts';
import type { Preset } from './presets.ts';

/**
 * Who may reach whom, as the client said it. It is told back; of the rules for the way out only
 * "nothing at all" is enforced, from creation on.
 */
export interface NetworkConfig {
  allowPublicTraffic: boolean;
  allowOut?: string[];
  denyOut?: string[];
  maskRequestHost?: string;
  rules?: unknown;
  egressProxy?: unknown;
}

const ALL_TRAFFIC = '0.0.0.0/0';
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$|^[0-9a-f:]*:[0-9a-f:]*(?:\/\d{1,3})?$/i;

/**
 * Reads network settings of create and update.
 * @throws ShapeError, ApiError for what the service refuses
 */
export function networkOf(
  fields: Fields | undefined,
  allowInternet: boolean | undefined,
  preset: Preset,
): NetworkConfig {
  if (fields === undefined) return { allowPublicTraffic: true };
  const read = (name: string): string[] | undefined =>
    fields.strings(name) ??
    // Cube's own clients write snake case.
    (preset.flavor === 'cube'
      ? fields.strings(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
      : undefined);
  const allowOut = read('allowOut');
  const denyOut = read('denyOut');
  const maskRequestHost = fields.optionalString('maskRequestHost');
  const rules = preset.quirks.listsNetworkRules
    ? fields.objects('rules')?.map(({ raw }) => raw)
    : fields.object('rules')?.raw;
  const egressProxy = fields.object('egressProxy')?.raw;
  check(allowOut, denyOut, allowInternet);
  if (maskRequestHost !== undefined) checkMask(maskRequestHost);
  if (egressProxy !== undefined && preset.flavor === 'e2b') {
    new Fields(egressProxy, '/network/egressProxy').string('address');
  }
  return {
    allowPublicTraffic: fields.boolean('allowPublicTraffic') ?? true,
    ...(allowOut === undefined ? {} : { allowOut }),
    ...(denyOut === undefined ? {} : { denyOut }),
    ...(maskRequestHost === undefined ? {} : { maskRequestHost }),
    ...(rules === undefined ? {} : { rules }),
    ...(egressProxy === undefined || preset.flavor === 'cube' ? {} : { egressProxy }),
  };
}

/** Whether the sandbox may reach nothing outside. */
export function isCutOff(
  { allowOut = [], denyOut = [] }: NetworkConfig,
  allowInternet: boolean | undefined,
): boolean {
  return allowOut.length === 0 && (allowInternet === false || denyOut.includes(ALL_TRAFFIC));
}

function check(
  allowOut: readonly string[] | undefined,
  denyOut: readonly string[] | undefined,
  allowInternet: boolean | undefined,
): void {
  const wrong = denyOut?.find((entry) => !ADDRESS.test(entry));
  if (wrong !== undefined) {
    throw new ApiError(400, `invalid denied CIDR ${wrong}: only IPs and CIDRs can be denied`);
  }
  const hasNames = allowOut?.some((entry) => !ADDRESS.test(entry)) ?? false;
  const deniesRest = allowInternet === false || (denyOut?.includes(ALL_TRAFFIC) ?? false);
  if (hasNames && !deniesRest) {
    throw new ApiError(
      400,
      `When specifying allowed domains in allow out, you must include '${ALL_TRAFFIC}' in deny out to block all other traffic.`,
    );
  }
}

function checkMask(mask: string): void {
  const isRight = mask.length <= 512 && /^[!-~]+$/.test(mask.replaceAll('${PORT}', ''));
  if (!isRight) throw new ApiError(400, 'network.maskRequestHost is invalid');
}

/** The Host that a server in the sandbox sees, if it is to be another than the client's. */
export function maskedHost({ maskRequestHost }: NetworkConfig, port: number): string | undefined {
  return maskRequestHost?.replaceAll('${PORT}', `${port}`);
}
