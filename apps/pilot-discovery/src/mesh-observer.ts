import { parseProxy, type Proxy } from '@kedge/model';

/** Nobody in particular: who asks about the mesh as a whole. */
export const meshObserver: Proxy = (() => {
  const parsed = parseProxy({ id: 'sidecar~0.0.0.0~observer.observer~' });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
})();
