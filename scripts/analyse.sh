#!/usr/bin/env bash
# Analyses result files offline: needs Node and the npm packages, nothing else.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/use-node.sh"
# npm changes to the package's folder, but the user names files from the folder that npm was called in.
if [[ ${npm_lifecycle_event:-} == analyse && -n ${INIT_CWD:-} ]]; then cd "$INIT_CWD"; fi
# Bundling takes a tenth of a second; code that a loader compiles on the fly runs at two thirds of the bundle's speed.
mkdir -p "$root/.cache"
bundle=$(mktemp "$root/.cache/analyse.XXXXXX")
"$root/node_modules/.bin/esbuild" "$root/bin/analyse.ts" --bundle --platform=node --log-level=error --outfile="$bundle" --allow-overwrite
mv "$bundle" "$root/.cache/analyse.cjs"
exec node "$root/.cache/analyse.cjs" "$@"
