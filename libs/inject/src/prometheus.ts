/** Where the application serves its metrics, after its annotations. */
export interface ScrapeConfig {
  readonly scrape?: string;
  readonly path?: string;
  readonly port?: string;
  readonly targets?: readonly ScrapeTarget[];
}

interface ScrapeTarget {
  readonly port: string;
  readonly path: string;
}

export const SCRAPE_TARGETS = 'prometheus.istio.io/scrape-targets';

type Annotations = Readonly<Record<string, string>>;

export function scrapeConfigOf(annotations: Annotations): ScrapeConfig {
  const targets = targetsOf(annotations[SCRAPE_TARGETS]);
  const found = ['scrape', 'path', 'port'].map((key) => [key, annotations[`prometheus.io/${key}`]] as const);
  return { ...Object.fromEntries(found.filter(([, value]) => value !== undefined)), ...(targets && { targets }) };
}

/** `PORT:PATH,…`; a list with an entry that cannot be read counts as none. */
function targetsOf(text: string | undefined): readonly ScrapeTarget[] | undefined {
  const targets = text?.split(',').map((part) => /^(\d+):(.+)$/.exec(part.trim()));
  if (targets === undefined || targets.includes(null)) return undefined;
  return targets.map((match) => ({ port: match?.[1] ?? '', path: match?.[2] ?? '' }));
}
