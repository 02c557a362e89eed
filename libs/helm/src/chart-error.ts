/** A chart that cannot be loaded, or values that it does not take. */
export class ChartError extends Error {
  override readonly name = 'ChartError';
}
