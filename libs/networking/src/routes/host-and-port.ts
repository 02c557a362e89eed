/** A host as it stands in URLs and `Host` headers: IPv6 addresses in brackets. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export const hostAndPort = (host: string, port: number): string => `${urlHost(host)}:${port}`;
