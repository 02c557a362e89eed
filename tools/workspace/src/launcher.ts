/** The oldest Node that runs the bundles. */
const minimumNode = 24;

/**
 * A shell script that starts an app's bundle from wherever it is called, also through a symbolic link, on the first Node
 * that will do: the runtime package of the workspace, else the one on the PATH. `flags` are for Node.
 */
export function launcher(name: string, flags: readonly string[] = []): string {
  const start = ['"$node"', ...flags, '"$main" "$@"'].join(' ');
  return `#!/bin/sh
set -eu
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
here=$(cd "$(dirname "$self")" && pwd -P)
main=$here/../apps/${name}/main.mjs
for node in "$here"/../node/bin/node "$here"/../../node_modules/node-*/bin/node; do
  if [ -x "$node" ]; then exec ${start}; fi
done
if ! command -v node >/dev/null; then
  echo "${name}: there is no node on the PATH; Node ${minimumNode} or newer is needed" >&2
  exit 127
fi
version=$(node -p process.versions.node)
if [ "\${version%%.*}" -lt ${minimumNode} ]; then
  echo "${name}: Node ${minimumNode} or newer is needed, but $(command -v node) is $version" >&2
  exit 127
fi
node=node
exec ${start}
`;
}
