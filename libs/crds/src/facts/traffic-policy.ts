import {
  BackendUtilizationLB,
  ClientTLSSettings,
  ConnectionKeepalive,
  ConnectionPoolSettings,
  ConsistentHashCookie,
  ConsistentHashCookieAttribute,
  ConsistentHashLB,
  DestinationRule,
  HttpConnectionPool,
  LoadBalancerSettings,
  LocalityDistribute,
  LocalityFailover,
  LocalityLoadBalancerSetting,
  MagLev,
  OutlierDetection,
  PortTrafficPolicy,
  ProxyProtocol,
  RetryBudget,
  RingHash,
  Subset,
  TcpConnectionPool,
  TcpKeepalive,
  TrafficPolicy,
  TunnelSettings,
  WarmupConfiguration,
  ZoneAwareLoadBalancerSetting,
} from '@kedge/model';
import { describe } from './facts.ts';
import { anyDuration } from './rules.ts';

const sharedPolicy = {
  loadBalancer: 'How an endpoint is chosen for each request or connection.',
  connectionPool: 'Limits and timeouts of the connections to the host.',
  outlierDetection: 'When an endpoint that fails is left out for a time.',
  tls: 'TLS of the connections to the host.',
};

const failover = {
  failover: 'Where traffic of a region goes when its own endpoints are unhealthy.',
  failoverPriority: 'Labels by which endpoints are ranked: the more of them agree, in order, the higher.',
};

const switchOff = { about: 'Switches it on or off in place of what the mesh says.', nullable: true } as const;

export const trafficPolicies = [
  describe(DestinationRule, {
    host: 'Name of the service, short or fully qualified; a wildcard prefix is allowed.',
    trafficPolicy: 'What holds for all traffic to the host.',
    subsets: 'Named parts of the endpoints of the host, to which routes can send.',
    exportTo: 'Namespaces that see the rule: "." for its own, "*" for all.',
    workloadSelector: 'Clients for which the rule holds, in its own namespace; all where it is left out.',
  }),
  describe(Subset, {
    name: 'Name by which routes refer to the subset.',
    labels: 'Labels that an endpoint of the subset has, all of them.',
    trafficPolicy: 'What holds for the subset, in place of the same settings of the host.',
  }),
  describe(TrafficPolicy, {
    ...sharedPolicy,
    portLevelSettings: {
      about: 'Settings of single ports, which replace all settings of the host for them.',
      maxItems: 4096,
    },
    tunnel: 'Sends the traffic through an HTTP proxy.',
    proxyProtocol: 'Sends the PROXY protocol header at the start of each connection.',
    retryBudget: 'Bounds retries by a share of the requests under way.',
  }),
  describe(PortTrafficPolicy, { port: 'The port of the service.', ...sharedPolicy }),
  describe(TunnelSettings, {
    protocol: 'Method by which the proxy is asked: CONNECT (also where it is left out) or POST.',
    targetHost: 'Host that the proxy is to connect to.',
    targetPort: 'Port that the proxy is to connect to.',
  }),
  describe(ProxyProtocol, { version: 'Version of the header; V1 where it is left out.' }),
  describe(RetryBudget, {
    percent: {
      about: 'Retries allowed, as a percentage of the requests under way.',
      minimum: 0,
      maximum: 100,
      nullable: true,
    },
    minRetryConcurrency: 'Retries that are allowed at any time, whatever the percentage.',
    budgetInterval: anyDuration('Time over which requests are counted.'),
  }),
  describe(TcpKeepalive, {
    probes: 'Unanswered probes after which the connection is dead.',
    time: 'Idle time before the first probe.',
    interval: 'Time between probes.',
  }),
  describe(TcpConnectionPool, {
    maxConnections: 'Most connections to the host.',
    connectTimeout: 'Most time that making a connection may take.',
    tcpKeepalive: 'TCP keepalive probes on the connections.',
    maxConnectionDuration: 'Longest life of a connection.',
    idleTimeout: anyDuration('Time without any byte after which a connection is closed.'),
  }),
  describe(ConnectionKeepalive, {
    interval: 'Time between pings.',
    timeout: 'Time within which a ping must be answered.',
  }),
  describe(HttpConnectionPool, {
    http1MaxPendingRequests: 'Most requests that wait for a connection.',
    http2MaxRequests: 'Most requests under way.',
    maxRequestsPerConnection: 'Requests after which a connection is closed; 0 is no limit, 1 is no keep-alive.',
    maxRetries: 'Most retries under way.',
    idleTimeout: 'Time without a request after which a connection is closed.',
    h2UpgradePolicy: 'Whether HTTP/1.1 is sent on as HTTP/2.',
    useClientProtocol: 'Whether the protocol of the client is kept towards the host.',
    maxConcurrentStreams: 'Most HTTP/2 streams of a connection.',
    http2KeepAlive: 'Pings on HTTP/2 connections.',
  }),
  describe(ConnectionPoolSettings, {
    tcp: 'Of connections of any protocol.',
    http: 'Of HTTP only.',
  }),
  describe(OutlierDetection, {
    consecutiveErrors: 'Errors in a row that eject an endpoint.',
    splitExternalLocalOriginErrors:
      'Whether failures to connect are counted apart from errors that the endpoint answers.',
    consecutiveLocalOriginFailures: {
      about: 'Failures to connect in a row that eject an endpoint, where they are counted apart.',
      nullable: true,
    },
    consecutiveGatewayErrors: { about: '502, 503 or 504 answers in a row that eject an endpoint.', nullable: true },
    consecutive5xxErrors: { about: '5xx answers in a row that eject an endpoint.', nullable: true },
    interval: 'Time between checks.',
    baseEjectionTime: 'How long an endpoint is ejected, times the number of its ejections.',
    maxEjectionPercent: 'Largest percentage of the endpoints that may be ejected at a time.',
    minHealthPercent: 'Percentage of healthy endpoints below which nothing is ejected.',
    outlierDetectionHttpErrorCodes: {
      about: 'Status codes that count as errors, in place of 5xx.',
      element: { minimum: 100, maximum: 599 },
    },
  }),
  describe(LoadBalancerSettings, {
    simple: 'An algorithm without settings.',
    consistentHash: 'The same endpoint for the same header, cookie, address or parameter.',
    backendUtilization: 'Weights that follow the load that endpoints report.',
    localityLbSetting: 'How the places of client and endpoints matter, in place of what the mesh says.',
    zoneAwareLbSetting: 'Keeps traffic within a zone as far as its endpoints can bear it.',
    warmupDurationSecs: 'Time over which a new endpoint gets to its full share; use warmup.',
    warmup: 'How a new endpoint gets to its full share, little by little.',
  }),
  describe(ConsistentHashLB, {
    httpHeaderName: 'Header whose value is hashed.',
    httpCookie: 'Cookie whose value is hashed.',
    useSourceIp: 'Hashes the address of the client.',
    httpQueryParameterName: 'Query parameter whose value is hashed.',
    ringHash: 'Hashes on a ring; so it is where nothing is said.',
    maglev: 'Hashes by a Maglev table.',
    minimumRingSize: 'Least number of points on the ring; use ringHash.',
  }),
  describe(ConsistentHashCookie, {
    name: 'Name of the cookie.',
    path: 'Path of a cookie that is made.',
    ttl: anyDuration('Lifetime of a cookie that is made; with none, no cookie is made.'),
    attributes: 'More attributes of a cookie that is made.',
  }),
  describe(ConsistentHashCookieAttribute, { name: 'Name of the attribute.', value: 'Value of the attribute.' }),
  describe(RingHash, { minimumRingSize: 'Least number of points on the ring.' }),
  describe(MagLev, { tableSize: 'Size of the table, a prime number.' }),
  describe(BackendUtilizationLB, {
    weightStabilizationPeriod: anyDuration('Time an endpoint reports before its weight is used.'),
    weightExpirationPeriod: anyDuration('Time without a report after which a weight is no longer used.'),
    weightUpdatePeriod: anyDuration('Time between changes of weights.'),
    errorUtilizationPenaltyPercent: 'How much errors lower a weight, in percent.',
    metricNamesForComputingUtilization: 'Reported metrics that stand for the load.',
  }),
  describe(LocalityLoadBalancerSetting, {
    distribute: 'Shares of traffic by the place of the client.',
    ...failover,
    enabled: switchOff,
  }),
  describe(LocalityDistribute, {
    from: 'Place of the client: region/zone/subzone, * at the end for any.',
    to: 'Percentage of the traffic by place of the endpoints; the sum is 100.',
  }),
  describe(LocalityFailover, { from: 'Region whose endpoints fail.', to: 'Region that takes over.' }),
  describe(ZoneAwareLoadBalancerSetting, {
    enabled: switchOff,
    ...failover,
    minClusterSize: { about: 'Least number of endpoints for which it is done.', minimum: 1, nullable: true },
  }),
  describe(WarmupConfiguration, {
    duration: 'Time until the full share.',
    minimumPercent: { about: 'Share to start from, in percent.', minimum: 0, maximum: 100, nullable: true },
    aggression: { about: 'How steep the way is; 1 is a straight line.', minimum: 0, nullable: true },
  }),
  describe(ClientTLSSettings, {
    mode: 'Whether TLS is used, and with which certificates.',
    clientCertificate: 'File of the certificate to present; for MUTUAL.',
    privateKey: 'File of the private key of the certificate; for MUTUAL.',
    caCertificates: "File of the authorities by which the server's certificate is checked.",
    credentialName: 'Secret that has certificate, key and authorities, in place of files.',
    subjectAltNames: "Names of which the server's certificate must have one.",
    sni: 'Server name to ask for.',
    insecureSkipVerify: { about: 'Takes any certificate of the server, unchecked.', nullable: true },
    caCrl: 'File of revoked certificates.',
  }),
];
