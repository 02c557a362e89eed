import { TYPE_URLS } from '@kedge/networking';

const shortTypes = new Map<string, string>(
  Object.entries(TYPE_URLS).map(([short, typeUrl]) => [typeUrl, short.toLowerCase()]),
);

/** The short name of a type as metrics and logs have it (`cds`), or the end of its URL. */
export function shortType(typeUrl: string): string {
  return shortTypes.get(typeUrl) ?? typeUrl.slice(typeUrl.lastIndexOf('.') + 1).toLowerCase();
}
