import type { MeshRead } from '@kedge/config';
import { derivedFact, fact } from '@kedge/incremental';
import { type Labels, labelsMatch, type Proxy, proxyLocality } from '@kedge/model';
import { proxyWorkload } from '@kedge/registry';

/* What is known of the proxy's workload: from the registry where that knows it, else from the proxy itself. Each question
   is a derived fact: only its answer tells proxies apart, not the addresses by which the registry knows them. */

const statedLabel = fact('statedLabel', (proxy: Proxy, key: string) => proxy.metadata.labels[key]);
const statedLocality = fact('statedLocality', proxyLocality);
const statedMatch = fact('statedMatch', (proxy: Proxy, selector: string) =>
  labelsMatch(parseSelector(selector), proxy.metadata.labels),
);

function selectorText(selector: Labels): string {
  return JSON.stringify(Object.entries(selector).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parseSelector(text: string): Labels {
  return Object.fromEntries(JSON.parse(text) as readonly (readonly [string, string])[]);
}

const matches = derivedFact('workloadMatches', (read: MeshRead, selector: string): boolean => {
  const workload = read(proxyWorkload);
  return workload ? labelsMatch(parseSelector(selector), workload.labels) : read.fact(statedMatch, selector);
});

const label = derivedFact('workloadLabel', (read: MeshRead, key: string): string | undefined => {
  const workload = read(proxyWorkload);
  return workload ? workload.labels[key] : read.fact(statedLabel, key);
});

const locality = derivedFact('workloadLocality', (read: MeshRead): string => {
  return read(proxyWorkload)?.locality || read.fact(statedLocality);
});

/** Whether a selector chooses the proxy's workload. An empty one chooses all, unasked. */
export function proxyMatches(read: MeshRead, selector: Labels): boolean {
  return Object.keys(selector).length === 0 || read(matches, selectorText(selector));
}

/** One label of the workload; undefined where it hasn't got it. */
export function proxyLabel(read: MeshRead, key: string): string | undefined {
  return read(label, key);
}

/** `region/zone/subzone` of the workload, empty where unknown. */
export function workloadLocality(read: MeshRead): string {
  return read(locality);
}
