#!/usr/bin/env bash
# Offline analysis of result files: needs the npm packages and nothing else.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/ensure-node-modules.sh"
# npm changes to the package's folder; the files were named from where the user stands.
if [[ ${npm_lifecycle_event:-} == analyse && -n ${INIT_CWD:-} ]]; then cd "$INIT_CWD"; fi
# As a hook of this very process: the tsx command would start a second one, which takes as long again.
exec node --require "$root/node_modules/tsx/dist/cjs/index.cjs" "$root/bin/analyse.ts" "$@"
