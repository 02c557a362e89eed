import { readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type Diagnostic,
  type Json,
  type JsonObject,
  isJsonObject,
  parseConfig,
  readYaml,
  validateConfig,
} from '@kedge/model';
import { checkEnvoyMessage } from '@kedge/networking';
import type { PeerResult } from '../peer.ts';

interface Verdict {
  readonly valid: boolean;
  readonly warning?: boolean;
}

interface Case {
  readonly id: string;
  readonly object: unknown;
  readonly expected: Verdict;
}

/** Runs the peer data of semantic validation: every object's verdict must be the reference's. */
export async function runValidation(dir: string): Promise<PeerResult> {
  const cases = (await Promise.all([objectRows(dir), messageRows(dir), crdDocuments(dir), samples(dir)])).flat();
  const failures = cases.flatMap((one) => failure(one) ?? []);
  return { cases: cases.length, equal: cases.length - failures.length, failures };
}

function failure({ id, object, expected }: Case): string | undefined {
  const diagnostics = judge(object);
  const valid = !diagnostics.some(({ severity }) => severity === 'error');
  const warning = diagnostics.some(({ severity }) => severity === 'warning');
  if (valid === expected.valid && warning === (expected.warning ?? warning)) return undefined;
  const found = diagnostics.map(({ severity, code, field, message }) => `${severity} ${code} ${field}: ${message}`);
  return `${id}: wanted ${JSON.stringify(expected)}, found ${found.join('; ') || 'nothing'}`;
}

function judge(object: unknown): readonly Diagnostic[] {
  const { config, diagnostics } = parseConfig(object);
  return config ? validateConfig(config, { checkEnvoyMessage }) : diagnostics;
}

interface Row extends JsonObject {
  readonly id: string;
  readonly valid: boolean;
}

async function readRows(dir: string): Promise<readonly Row[]> {
  const texts = await readAll(dir, '.jsonl');
  const lines = texts.flatMap(({ text }) => text.split('\n').filter((line) => line.trim() !== ''));
  return lines.map((line) => JSON.parse(line) as Row);
}

async function readAll(dir: string, extension: string): Promise<{ readonly file: string; readonly text: string }[]> {
  const files = (await readdir(dir)).filter((file) => file.endsWith(extension)).sort();
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(join(dir, file), 'utf8') })));
}

async function objectRows(dir: string): Promise<readonly Case[]> {
  const rows = await readRows(join(dir, 'objects'));
  return rows.map(({ id, valid, warning, apiVersion, kind, metadata, spec }) => ({
    id,
    object: { apiVersion, kind, metadata, spec },
    expected: { valid, warning: warning === true },
  }));
}

async function messageRows(dir: string): Promise<readonly Case[]> {
  const rows = await readRows(join(dir, 'messages'));
  return rows.map(({ id, message, spec, valid }) => {
    const wrap = WRAPPED_BY[String(message)];
    if (wrap === undefined) throw new Error(`${id}: no object is known to hold a ${String(message)}`);
    return { id, object: wrap(spec ?? null), expected: { valid } };
  });
}

type Wrap = (message: Json) => JsonObject;

const networking = (kind: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'networking.istio.io/v1',
  kind,
  metadata: { name: 'row', namespace: 'default' },
  spec,
});
const virtualService: Wrap = (route) =>
  networking('VirtualService', { hosts: ['row.example.com'], gateways: ['mesh'], http: [route] });
const TO_ROW: JsonObject = { route: [{ destination: { host: 'row.example.com' } }] };
const onRoute =
  (field: string): Wrap =>
  (message) =>
    virtualService({ ...TO_ROW, [field]: message });
const trafficPolicy: Wrap = (policy) =>
  networking('DestinationRule', { host: 'row.example.com', trafficPolicy: policy });
/** An empty message beside the one in question: without any a traffic policy would be an error of its own. */
const onPolicy =
  (field: string): Wrap =>
  (message) =>
    trafficPolicy({ tls: {}, [field]: message });
const gateway: Wrap = (server) => networking('Gateway', { servers: [server] });

/** The object that holds a message and nothing else that matters. */
const WRAPPED_BY: Readonly<Record<string, Wrap>> = {
  ConnectionPoolSettings: onPolicy('connectionPool'),
  LoadBalancerSettings: onPolicy('loadBalancer'),
  OutlierDetection: onPolicy('outlierDetection'),
  TrafficPolicy: trafficPolicy,
  CorsPolicy: onRoute('corsPolicy'),
  Destination: onRoute('mirror'),
  HTTPDirectResponse: (message) => virtualService(message === null ? TO_ROW : { directResponse: message }),
  'HTTPFaultInjection.Abort': (message) => onRoute('fault')({ delay: {}, abort: message }),
  'HTTPFaultInjection.Delay': (message) => onRoute('fault')({ abort: {}, delay: message }),
  HTTPRedirect: (message) => virtualService(message === null ? TO_ROW : { redirect: message }),
  HTTPRetry: onRoute('retries'),
  HTTPRewrite: onRoute('rewrite'),
  RegexRewrite: (message) => onRoute('rewrite')({ authority: 'row.example.com', uriRegexRewrite: message }),
  HTTPRoute: virtualService,
  Server: gateway,
  ServerTLSSettings: (tls) =>
    gateway({
      hosts: ['row.example.com'],
      port: { number: 443, name: 'row', protocol: tls === null ? 'HTTP' : 'HTTPS' },
      tls,
    }),
  Port: (port) => gateway({ hosts: ['row.example.com'], port, ...(isTlsPort(port) && { tls: {} }) }),
};

function isTlsPort(port: Json): boolean {
  return isJsonObject(port) && /^(?:https|tls)$/i.test(String(port.protocol));
}

/** Errors that are the API server's alone: see the README of the data. */
const API_SERVER_ONLY = /should be at least 1 chars long|"null"|must be of type object/;

async function crdDocuments(dir: string): Promise<readonly Case[]> {
  const files = await readAll(join(dir, 'crds'), '.yaml');
  return files.flatMap(({ file, text }) =>
    readYaml(text).objects.flatMap(({ value }, i) => {
      if (!isJsonObject(value)) return [];
      const { _err: error = '', ...object } = value;
      const isApiServers = API_SERVER_ONLY.test(String(error)) || (value.kind === 'EnvoyFilter' && error !== '');
      return isApiServers ? [] : [{ id: `${basename(file, '.yaml')}#${i}`, object, expected: { valid: error === '' } }];
    }),
  );
}

async function samples(dir: string): Promise<readonly Case[]> {
  const files = await readAll(join(dir, 'samples'), '.yaml');
  return files.flatMap(({ file, text }) =>
    readYaml(text).objects.flatMap(({ value }, i) =>
      isIstioObject(value) ? [{ id: `${basename(file, '.yaml')}#${i}`, object: value, expected: { valid: true } }] : [],
    ),
  );
}

function isIstioObject(value: unknown): boolean {
  return isJsonObject(value) && /\.istio\.io\//.test(String(value.apiVersion));
}
