#!/usr/bin/env bash
# Moves rows of the layout before folding into today's tables. bin/migrate.ts documents the arguments.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/use-node.sh"
exec "$root/node_modules/.bin/tsx" "$root/bin/migrate.ts" "$@"
