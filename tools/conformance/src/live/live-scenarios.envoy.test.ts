import { testLiveScenarios } from './live-scenarios.ts';

/* What takes no privileges. */
testLiveScenarios(false);
