import { type Hostname, labelsKey, type Service } from '@kedge/model';
import { alike } from './equality.ts';

/**
 * Gathers the services of a scope. A host belongs to the first that claims it, except that a service of Kubernetes always
 * takes it from others, so that nobody can squat on its name. Parts of one service come together again.
 */
export class ScopedServices {
  readonly #byHost = new Map<Hostname, Service[]>();

  add(service: Service): void {
    const present = this.#byHost.get(service.hostname);
    const first = present?.[0];
    if (!present || !first) {
      this.#byHost.set(service.hostname, [service]);
      return;
    }
    if (present.includes(service)) return;
    if (first.provider !== 'Kubernetes' && service.provider === 'Kubernetes')
      present.splice(0, present.length, service);
    else if (first.provider === service.provider && first.namespace === service.namespace) join(present, service);
  }

  list(): readonly Service[] {
    return [...this.#byHost.values()].flat();
  }
}

/**
 * Adds the ports that nobody has yet: to the part of the same resolution if it is alike in what else matters, else (for
 * another resolution) as a part of its own. A service that differs in less is left out: the first one counts.
 */
function join(present: Service[], service: Service): void {
  const taken = new Set(present.flatMap(({ ports }) => ports.map(({ port }) => port)));
  const ports = service.ports.filter(({ port }) => !taken.has(port));
  if (ports.length === 0) return;
  const at = present.findIndex(({ resolution }) => resolution === service.resolution);
  const part = present[at];
  if (!part) present.push(ports.length === service.ports.length ? service : { ...service, ports });
  else if (samePart(part, service)) present[at] = { ...part, ports: [...part.ports, ...ports] };
}

function samePart(a: Service, b: Service): boolean {
  return (
    labelsKey(a.labels) === labelsKey(b.labels) &&
    labelsKey(a.selector ?? {}) === labelsKey(b.selector ?? {}) &&
    alike(a.exportTo, b.exportTo)
  );
}
