import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { alike } from '@kedge/pushcontext';
import { requestAuthenticationDiagnostics } from './authn/request-authentication.ts';
import { authorizationDiagnostics } from './authz/authorization.ts';
import { byNodeType } from './by-node-type.ts';
import { clusterDiagnostics } from './clusters/clusters.ts';
import { patchDiagnostics } from './envoy-filter/patch.ts';
import { gatewayListenerDiagnostics } from './gateway/listeners.ts';
import { gatewayRouteDiagnostics } from './gateway/route-configuration.ts';
import { sidecarListenerDiagnostics } from './listeners/sidecar-listeners.ts';
import { resourceTypes } from './resource-types.ts';
import { sidecarRouteDiagnostics } from './routes/sidecar-route-configuration.ts';
import { TYPE_URLS } from './type-urls.ts';

const listenerDiagnostics = byNodeType<[], readonly Diagnostic[]>(
  'listenerDiagnostics',
  { sidecar: sidecarListenerDiagnostics, router: gatewayListenerDiagnostics },
  [],
  alike,
);

const routeDiagnostics = byNodeType<[name: string], readonly Diagnostic[]>(
  'routeDiagnostics',
  { sidecar: sidecarRouteDiagnostics, router: gatewayRouteDiagnostics },
  [],
  alike,
);

/** What had to be left out of all that the proxy gets, and why; each finding once. */
export const generationDiagnostics = query(
  'generationDiagnostics',
  (read: MeshRead): readonly Diagnostic[] => {
    const { all: listeners } = resourceTypes[TYPE_URLS.LDS];
    const required = listeners ? read(listeners).flatMap(({ requires = [] }) => requires) : [];
    const routeNames = new Set(
      required.filter(({ typeUrl }) => typeUrl === TYPE_URLS.RDS).flatMap(({ names }) => names),
    );
    const found = [
      ...read(patchDiagnostics),
      ...read(clusterDiagnostics),
      ...read(listenerDiagnostics),
      ...read(requestAuthenticationDiagnostics),
      ...read(authorizationDiagnostics),
      ...[...routeNames].flatMap((name) => read(routeDiagnostics, name)),
    ];
    return [...new Map(found.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values()];
  },
  alike,
);
