import type { Service } from '@kedge/model';

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What a service goes by among others of the same age: services from ServiceEntries by their host. */
const orderName = ({ provider, name, hostname }: Service): string => (provider === 'Kubernetes' ? name : hostname);

/** Oldest first; equally old ones by name, namespace, and last by the object that defines them. */
export function compareServices(a: Service, b: Service): number {
  return (
    a.creationTimestamp - b.creationTimestamp ||
    compareText(orderName(a), orderName(b)) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.provider, b.provider)
  );
}
