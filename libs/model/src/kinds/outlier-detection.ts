import { type Of, deprecated, list, message } from '../parse/message.ts';
import { bool, duration, int32, uint32 } from '../parse/scalars.ts';

export const OutlierDetection = message({
  consecutiveErrors: deprecated(int32),
  splitExternalLocalOriginErrors: bool,
  consecutiveLocalOriginFailures: uint32,
  consecutiveGatewayErrors: uint32,
  consecutive5xxErrors: uint32,
  interval: duration,
  baseEjectionTime: duration,
  maxEjectionPercent: int32,
  minHealthPercent: int32,
  outlierDetectionHttpErrorCodes: list(uint32),
});
export type OutlierDetection = Of<typeof OutlierDetection>;
