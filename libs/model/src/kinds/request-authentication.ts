import { type Of, enumeration, list, message, required } from '../parse/message.ts';
import { bool, duration, string } from '../parse/scalars.ts';
import { PolicyTargetReference, WorkloadSelector } from './selector.ts';

export const JWTHeader = message({
  name: required(string, ''),
  prefix: string,
});
export type JWTHeader = Of<typeof JWTHeader>;

export const ClaimToHeader = message({
  header: required(string, ''),
  claim: required(string, ''),
});
export type ClaimToHeader = Of<typeof ClaimToHeader>;

export const JWTRequirement = enumeration(['OPTIONAL', 'REQUIRED']);
export type JWTRequirement = Of<typeof JWTRequirement>;

export const JWTRule = message({
  issuer: string,
  audiences: list(string),
  jwksUri: string,
  jwks: string,
  fromHeaders: list(JWTHeader),
  fromParams: list(string),
  outputPayloadToHeader: string,
  fromCookies: list(string),
  forwardOriginalToken: bool,
  outputClaimToHeaders: list(ClaimToHeader),
  timeout: duration,
  spaceDelimitedClaims: list(string),
  presence: JWTRequirement,
});
export type JWTRule = Of<typeof JWTRule>;

/** Which JSON Web Tokens the selected workloads accept from end users. */
export const RequestAuthentication = message({
  selector: WorkloadSelector,
  targetRef: PolicyTargetReference,
  targetRefs: list(PolicyTargetReference),
  jwtRules: list(JWTRule),
});
export type RequestAuthentication = Of<typeof RequestAuthentication>;
