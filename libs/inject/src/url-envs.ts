const NAMES: Readonly<Record<string, string>> = { cluster: 'ISTIO_META_CLUSTER_ID', net: 'ISTIO_META_NETWORK' };
const ENV = ':ENV:';

/**
 * Environment of the proxy that the URL of the webhook sets: `/inject/KEY/VALUE/…`, in which `--slash--` stands for a slash, or
 * `/inject/:ENV:KEY=VALUE:ENV:…`. What has no key or no value is left out.
 */
export function envsOfUrl(path: string): Readonly<Record<string, string>> {
  const [, rest = ''] = /^\/inject\/(.*)$/.exec(path) ?? [];
  const pairs = rest.startsWith(ENV) ? assignments(rest) : segments(rest);
  return Object.fromEntries(
    pairs.filter(([key, value]) => key && value).map(([key, value]) => [NAMES[key] ?? key.toUpperCase(), value]),
  );
}

function assignments(text: string): readonly (readonly [string, string])[] {
  return text
    .split(ENV)
    .filter((part) => part.includes('='))
    .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]);
}

function segments(text: string): readonly (readonly [string, string])[] {
  const parts = text.split('/');
  return parts
    .filter((_, index) => index % 2 === 0)
    .map((key, index) => [key, (parts[2 * index + 1] ?? '').replaceAll('--slash--', '/')]);
}
