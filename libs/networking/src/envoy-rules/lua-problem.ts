import luaparse from 'luaparse';

/** Envoy's Lua is that of LuaJIT, which has taken some things from later versions: what either takes, it takes. */
const VERSIONS = ['LuaJIT', '5.2'] as const;

/** What is wrong with the syntax of a script, by which Envoy could not load it. */
export function luaProblem(script: string): string | undefined {
  const problems = VERSIONS.map((luaVersion) => {
    try {
      luaparse.parse(script, { luaVersion, comments: false });
      return undefined;
    } catch (error) {
      return `is no Lua: ${error instanceof Error ? error.message : String(error)}`;
    }
  });
  return problems.includes(undefined) ? undefined : problems[0];
}
