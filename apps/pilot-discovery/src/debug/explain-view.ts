import { explainResource, type Explanation, TYPE_URLS, type TypeUrl } from '@kedge/networking';
import type { ControlPlane } from '../control-plane.ts';
import { type HttpRequest, type HttpResponse, json, text } from '@kedge/observability';
import { originText } from '../xds/refusals.ts';
import { clientOf } from './config-dump.ts';

const words: Readonly<Record<string, TypeUrl>> = {
  ...Object.fromEntries(Object.entries(TYPE_URLS).map(([short, url]) => [short.toLowerCase(), url])),
  cluster: TYPE_URLS.CDS,
  endpoint: TYPE_URLS.EDS,
  listener: TYPE_URLS.LDS,
  route: TYPE_URLS.RDS,
};

/** As many of a list as a reader can make use of. */
const MOST_LINES = 50;

/**
 * Why a proxy has a resource, or a virtual host or filter chain in it, and what would change it:
 * `?proxy=NAME.NAMESPACE&resource=TYPE/NAME[&piece=NAME]`, for people with `&pretty`.
 */
export function explainPage(plane: ControlPlane, request: HttpRequest): HttpResponse {
  const { query } = request;
  const proxyId = query.get('proxy') ?? '';
  const [, word = '', name = ''] = /^([^/]+)\/(.+)$/s.exec(query.get('resource') ?? '') ?? [];
  const type = words[word.toLowerCase()];
  if (!proxyId || !name || !type) {
    return text(
      `give ?proxy=NAME.NAMESPACE&resource=TYPE/NAME[&piece=NAME], TYPE of ${Object.keys(words).join(', ')}\n`,
      400,
    );
  }
  if (type === TYPE_URLS.SDS) return text('secrets are not explained\n', 403);
  const client = clientOf(plane.server.clients(), proxyId);
  if (!client) return text(`the proxy ${proxyId} is not connected to this server\n`, 404);
  const { proxy } = client.client;
  const piece = query.get('piece') ?? undefined;
  const explained = explainResource(plane.server.snapshot, proxy, {
    type,
    name,
    ...(piece === undefined ? {} : { piece }),
  });
  const place = [word.toLowerCase(), name, piece].filter((part) => part !== undefined).join(' / ');
  if (!explained) return text(`${proxyId} has no ${place}\n`, 404);
  const refused = plane.refusals
    .list()
    .find((one) => one.typeUrl === type && one.name === name && [...one.keptFrom].some(({ id }) => id === client.id));
  if (query.has('pretty')) return text(page(`${place}, of the proxy ${proxy.id}`, explained, refused?.nack.message));
  return json({ proxy: proxy.id, type, ...explained, ...(refused ? { refused: refused.nack.message } : {}) }, request);
}

function page(title: string, { from, plan, cause, reads, pieces }: Explanation, refused: string | undefined): string {
  const lookUps = reads.lookUps.map(
    ({ kind, by, value, found }) =>
      `any ${kind}${by === undefined ? '' : ` whose ${by} is ${value || '(none)'}`} (${found.length} found)`,
  );
  return [
    title,
    ...(refused === undefined ? [] : ['', `The proxy refuses it, and is not served it: ${refused}`]),
    '',
    'Why is this here?',
    ...list(from.length > 0 ? from.map(originText) : ['it follows from what it rests on, and from no single object']),
    ...(plan ? [`  planned as ${JSON.stringify(plan)}`] : []),
    ...(cause ? [`  last looked at for ${cause}`] : []),
    '',
    'What would change it?',
    ...section('a change of these objects:', reads.objects),
    ...section('these objects, if they were there:', reads.absent),
    ...section('objects that come or go:', lookUps),
    ...section('settings:', reads.settings),
    ...section(
      'another answer of the proxy to:',
      reads.facts.map(({ fact, args, answer }) => `${[fact, ...args].join(' ')} = ${String(answer)}`),
    ),
    ...(pieces.length > 0 ? ['', 'What is in it? (explained by &piece=NAME)'] : []),
    ...list(pieces.map((piece) => [piece.name, ...piece.from.map(originText)].join(' <- '))),
    '',
  ].join('\n');
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`  ${title}`, ...list(lines, '    ')];

function list(lines: readonly string[], indent = '  '): readonly string[] {
  const more = lines.length - MOST_LINES;
  const shown = lines.slice(0, MOST_LINES).map((line) => `${indent}- ${line}`);
  return more > 0 ? [...shown, `${indent}  and ${more} more`] : shown;
}
