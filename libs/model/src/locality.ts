/** Where a workload runs, from coarse to fine; Envoy's `core.Locality`. */
export interface Locality {
  readonly region: string;
  readonly zone: string;
  readonly subzone: string;
}

/** Reads `region/zone/subzone`; what is missing is empty. */
export function parseLocality(label: string): Locality {
  const [region = '', zone = '', subzone = ''] = label.split('/', 3);
  return { region, zone, subzone };
}

/** Writes `region/zone/subzone` without empty parts at the end. */
export function formatLocality({ region, zone, subzone }: Locality): string {
  return [region, zone, subzone].join('/').replace(/\/+$/, '');
}
