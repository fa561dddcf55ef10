import { badRequest } from './errors.ts';
import { type Fields, flag, text } from './input.ts';
import type { SandboxRecord } from './record.ts';

/**
 * Settings of the network are kept and shown. What blocks everything holds from creation on, where the
 * machine can do that; lists of what is allowed hold nobody back.
 */
export function setNetwork(record: SandboxRecord, fields: Fields): void {
  record.networkBlockAll = flag(fields, 'networkBlockAll') ?? record.networkBlockAll;
  const networks = text(fields, 'networkAllowList');
  if (networks !== undefined) {
    checkNetworks(networks);
    record.networkAllowList = networks;
  }
  for (const key of ['domainAllowList', 'outboundProxyUrl', 'otelEndpointOverride'] as const) {
    const value = text(fields, key);
    if (value !== undefined) record[key] = value;
  }
}

const MAX_NETWORKS = 10;

function checkNetworks(list: string): void {
  const networks = list.split(',').map((one) => one.trim());
  if (list === '') return;
  if (networks.length > MAX_NETWORKS) {
    throw badRequest(`Network allow list cannot contain more than ${MAX_NETWORKS} networks`);
  }
  for (const network of networks) {
    const [, address = '', bits = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(network) ?? [];
    const bytes = address.split('.').map(Number);
    if (
      bytes.length !== 4 ||
      bytes.some((byte) => byte > 255) ||
      Number(bits) > 32 ||
      bits === ''
    ) {
      throw badRequest(
        `Invalid network: "${network}". Must be IPv4 in CIDR notation, e.g. 10.0.0.0/8`,
      );
    }
  }
}
