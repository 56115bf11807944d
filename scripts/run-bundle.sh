#!/usr/bin/env bash
# Bundles a program of bin/ and runs it: scripts/run-bundle.sh analyse FILE. Needs Node and the npm packages, nothing
# else, and works on macOS, too (test/scripts/portable-scripts.test.ts).
# Bundling takes a tenth of a second. A loader that compiles on the fly takes a second, and its code runs at two thirds of
# the bundle's speed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/use-node.sh"
program=$1
shift
# npm changes to the package's folder, but the user names files from the folder that npm was called in.
if [[ ${npm_lifecycle_event:-} == "$program" && -n ${INIT_CWD:-} ]]; then cd "$INIT_CWD"; fi
mkdir -p "$root/.cache"
bundle=$(mktemp "$root/.cache/$program.XXXXXX")
"$root/node_modules/.bin/esbuild" "$root/bin/$program.ts" \
  --bundle --platform=node --log-level=error --outfile="$bundle" --allow-overwrite
mv "$bundle" "$root/.cache/$program.cjs"
exec node "$root/.cache/$program.cjs" "$@"
