import { testLiveScenarios } from './live-scenarios.ts';

/* Transparent sockets, ports below 1024, addresses of other machines: in network namespaces. */
testLiveScenarios(true);
