/** Whether a peer, given with or without its port, is on this machine. */
export function isLoopback(peer: string): boolean {
  return /^(?:(?:\[?::ffff:)?127\.[\d.]+\]?|\[::1\])(?::\d+)?$|^::1$/.test(peer);
}
