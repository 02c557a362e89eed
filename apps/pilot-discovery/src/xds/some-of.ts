const MOST_NAMES = 3;

/** `VirtualService/shop/web, VirtualService/shop/api, Service/shop/web and 4 more`. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
