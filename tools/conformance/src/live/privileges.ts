import { decodeResource, type RenderedProxy } from '@kedge/render';

interface Address {
  readonly socketAddress?: { readonly address?: string; readonly portValue?: number };
}

/** What of a listener decides about the rights it takes. */
interface Listening {
  readonly address?: Address;
  readonly additionalAddresses?: readonly { readonly address?: Address }[];
  readonly bindToPort?: boolean;
  readonly transparent?: boolean;
  readonly freebind?: boolean;
}

const LOWEST_UNPRIVILEGED_PORT = 1024;
/** Addresses that every machine has. */
const everywhere = /^(0\.0\.0\.0|127\.\d+\.\d+\.\d+|::|::1)$/;

/** Whether an Envoy with these listeners needs root, or addresses that a machine hasn't got. */
export function needsPrivileges({ lds = [] }: RenderedProxy): boolean {
  return lds.some((resource) => {
    const listener = decodeResource(resource) as Listening;
    if (listener.transparent || listener.freebind) return true;
    if (listener.bindToPort === false) return false;
    const addresses = [listener.address, ...(listener.additionalAddresses ?? []).map(({ address }) => address)];
    return addresses.some((one) => {
      const { address = '', portValue = 0 } = one?.socketAddress ?? {};
      return portValue < LOWEST_UNPRIVILEGED_PORT || !everywhere.test(address);
    });
  });
}
