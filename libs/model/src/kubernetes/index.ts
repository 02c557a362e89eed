export * from './endpoint-slice.ts';
export * from './ingress.ts';
export * from './node.ts';
export { ConfigMap, IngressClassSpec, Secret } from './objects.ts';
export { PodSpec, PodStatus } from './pod.ts';
export * from './registry.ts';
export * from './service.ts';
