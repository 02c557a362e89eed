import { type Fields } from './wire.ts';

/** Resources that Envoy asks for when it has got a resource. */
export type References = readonly string[];

const CLUSTER = { type: 2, edsConfig: 3, serviceName: 2 };
const EDS = 3;
const LISTENER = { filterChains: 3, defaultFilterChain: 25 };
const FILTER_CHAIN = { filters: 3 };
const FILTER = { typedConfig: 4 };
const ANY = { typeUrl: 1, value: 2 };
const HTTP_CONNECTION_MANAGER = { rds: 3, routeConfigName: 2 };
const HTTP_CONNECTION_MANAGER_TYPE = '.v3.HttpConnectionManager';

/** The name of a cluster's load assignment. */
export function assignmentOf(name: string, cluster: Fields): References {
  let isEds = false;
  let serviceName = '';
  while (cluster.step()) {
    if (cluster.field === CLUSTER.type) isEds = cluster.value === EDS;
    else if (cluster.field === CLUSTER.edsConfig) {
      const config = cluster.inner();
      while (config.step()) if (config.field === CLUSTER.serviceName) serviceName = config.text();
    }
  }
  return isEds ? [serviceName || name] : [];
}

/** The route configurations that a listener fetches. */
export function routesOf(listener: Fields): References {
  const routes: string[] = [];
  while (listener.step()) {
    if (listener.field !== LISTENER.filterChains && listener.field !== LISTENER.defaultFilterChain) continue;
    const chain = listener.inner();
    while (chain.step()) {
      if (chain.field !== FILTER_CHAIN.filters) continue;
      const filter = chain.inner();
      while (filter.step()) if (filter.field === FILTER.typedConfig) routes.push(...routesOfFilter(filter.inner()));
    }
  }
  return routes;
}

function routesOfFilter(any: Fields): References {
  let typeUrl = '';
  let manager: Fields | undefined;
  while (any.step()) {
    if (any.field === ANY.typeUrl) typeUrl = any.text();
    else if (any.field === ANY.value) manager = any.inner();
  }
  const routes: string[] = [];
  if (!manager || !typeUrl.endsWith(HTTP_CONNECTION_MANAGER_TYPE)) return routes;
  while (manager.step()) {
    if (manager.field !== HTTP_CONNECTION_MANAGER.rds) continue;
    const rds = manager.inner();
    while (rds.step()) if (rds.field === HTTP_CONNECTION_MANAGER.routeConfigName) routes.push(rds.text());
  }
  return routes;
}
