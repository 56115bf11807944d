#!/usr/bin/env bash
# Prints what a plan will measure, show and cost, without an account: needs Node and the npm packages, nothing else.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/use-node.sh"
# npm changes to the package's folder, but the user names the file from the folder that npm was called in.
if [[ ${npm_lifecycle_event:-} == plan && -n ${INIT_CWD:-} ]]; then cd "$INIT_CWD"; fi
exec "$root/node_modules/.bin/tsx" "$root/bin/plan.ts" "$@"
