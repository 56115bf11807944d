#!/usr/bin/env bash
# Offline analysis of result files: needs the npm packages and nothing else.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/ensure-node-modules.sh"
# npm changes to the package's folder; the files were named from where the user stands.
if [[ ${npm_lifecycle_event:-} == analyse && -n ${INIT_CWD:-} ]]; then cd "$INIT_CWD"; fi
# Bundled each time: it takes a tenth of a second, and what a hook compiles for development runs half as slow again.
mkdir -p "$root/.cache"
bundle=$(mktemp "$root/.cache/analyse.XXXXXX")
"$root/node_modules/.bin/esbuild" "$root/bin/analyse.ts" --bundle --platform=node --log-level=error --outfile="$bundle" --allow-overwrite
mv "$bundle" "$root/.cache/analyse.cjs"
exec node "$root/.cache/analyse.cjs" "$@"
