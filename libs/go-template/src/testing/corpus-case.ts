import { renderChart } from '../helm/render.ts';
import { TemplateSet, type MissingKey } from '../exec/template-set.ts';
import { TemplateError } from '../exec/template-error.ts';
import { sprigFunctions } from '../sprig/index.ts';
import { toValue } from '../value/convert.ts';

/** A template with what it's rendered with, which Go and this library both can do. */
export interface CorpusCase {
  /** `text`: Go's own functions; `sprig`: sprig's beside them; `helm`: a template of a chart. */
  readonly mode: 'text' | 'sprig' | 'helm';
  readonly template: string;
  readonly values?: unknown;
  readonly missingKey?: MissingKey;
  readonly delims?: readonly [left: string, right: string];
  /** Of the chart, by path; those below `templates/` are templates. */
  readonly files?: Readonly<Record<string, string>>;
  readonly strict?: boolean;
}

export type CorpusResult = { readonly output: string } | { readonly error: string };

const mainTemplate = 'templates/main.yaml';

const renderInChart = ({ template, values, files = {}, strict }: CorpusCase): string => {
  const paths = Object.entries(files);
  const isTemplate = ([path]: readonly [string, string]): boolean => path.startsWith('templates/');
  const rendered = renderChart(
    {
      metadata: {
        apiVersion: 'v2',
        name: 'shop',
        version: '1.2.3',
        appVersion: '4.5',
        description: 'A chart',
        annotations: { category: 'test' },
        keywords: ['a', 'b'],
      },
      templates: new Map([[mainTemplate, template], ...paths.filter(isTemplate)]),
      files: new Map(paths.filter((path) => !isTemplate(path))),
    },
    (values ?? {}) as Record<string, unknown>,
    {
      release: { name: 'my-release', namespace: 'my-namespace' },
      capabilities: { kubeVersion: 'v1.31.2', apiVersions: ['v1', 'apps/v1', 'apps/v1/Deployment'] },
      strict,
    },
  );
  return rendered.get(`shop/${mainTemplate}`) ?? '';
};

const render = (corpusCase: CorpusCase): string => {
  if (corpusCase.mode === 'helm') return renderInChart(corpusCase);
  const { mode, template, values, missingKey, delims: [left, right] = [] } = corpusCase;
  const set = new TemplateSet({
    name: 'test',
    functions: mode === 'sprig' ? sprigFunctions() : {},
    missingKey,
    delimiters: { left, right },
  });
  return set.prepare('test', template)(toValue(values));
};

/** What this library makes of a case. */
export const renderCase = (corpusCase: CorpusCase): CorpusResult => {
  try {
    return { output: render(corpusCase) };
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.message };
    throw error;
  }
};
