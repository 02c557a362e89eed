import { type BuildOptions } from 'esbuild';

/** As `BuildInfo` of @kedge/observability, which finds it under the name defined below. */
export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly status: string;
  readonly tag: string;
}

/** One ESM file that needs nothing else on disk. */
export function bundleOptions(entry: string, outfile: string, info: BuildInfo): BuildOptions {
  return {
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // CommonJS packages inside an ESM bundle call `require` for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    define: { __KEDGE_BUILD_INFO__: JSON.stringify(info) },
    // Smaller code loads faster; names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'linked',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  };
}

/** Beside the entry a file for each part that is imported when it is needed: what a command does not use costs it nothing. */
export function splitOptions(entry: string, outdir: string, info: BuildInfo): BuildOptions {
  const { outfile: _, ...options } = bundleOptions(entry, '', info);
  return {
    ...options,
    ...{ outdir, splitting: true, entryNames: 'main', chunkNames: '[name]-[hash]', outExtension: { '.js': '.mjs' } },
  };
}
