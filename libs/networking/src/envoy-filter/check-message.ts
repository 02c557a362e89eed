import { isMessageName, parse } from '@kedge/envoy-api';
import type { CheckEnvoyMessage } from '@kedge/model';

/** What is wrong with the value of an EnvoyFilter patch, by the types of Envoy's API. */
export const checkEnvoyMessage: CheckEnvoyMessage = (type, value) => {
  if (!isMessageName(type)) return [{ severity: 'error', message: `${type} is not a message of Envoy's API` }];
  const parsed = parse(type, value);
  if (parsed.ok) return [];
  return parsed.errors.map(({ path, message, unknownField }) => ({
    severity: unknownField ? 'warning' : 'error',
    message: path === '' ? message : `${path}: ${message}`,
  }));
};
