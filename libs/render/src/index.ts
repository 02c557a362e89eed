export { type NamedProxy, parseProxiesFile, type ProxiesFile } from './proxies-file.ts';
export { decodeResource, type RenderedProxy, type RenderedType, renderProxy } from './render.ts';
export { type InputFile, readScenario, type RenderInput, type Scenario } from './scenario.ts';
