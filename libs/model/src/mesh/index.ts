export * from './defaults.ts';
export * from './extension-provider.ts';
export * from './merge-proxy-config.ts';
export * from './mesh-config.ts';
export * from './mesh-networks.ts';
export * from './parse-mesh.ts';
export * from './proxy-config.ts';
export * from './proxy-tracing.ts';
