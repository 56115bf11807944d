#!/usr/bin/env bash
# Runs a command on a supported Node with the npm packages in place: scripts/with-node.sh tsx research/bench-plan.ts
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/use-node.sh"
PATH=$root/node_modules/.bin:$PATH exec "$@"
