#!/usr/bin/env bash
# What a plan will measure, show and cost, without an account: needs the npm packages and nothing else.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/ensure-node-modules.sh"
# npm changes to the package's folder; the file was named from where the user stands.
if [[ ${npm_lifecycle_event:-} == plan && -n ${INIT_CWD:-} ]]; then cd "$INIT_CWD"; fi
exec "$root/node_modules/.bin/tsx" "$root/bin/plan.ts" "$@"
