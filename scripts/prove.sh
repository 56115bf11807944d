#!/usr/bin/env bash
# Puts the claims of docs/on-aws.md to the test: in an account, or with --lab as the first argument in the lab.
# bin/prove.ts documents the arguments.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/use-node.sh"
# npm changes to the package's folder, but the user names files from the folder that npm was called in.
if [[ ${npm_lifecycle_event:-} == prove && -n ${INIT_CWD:-} ]]; then cd "$INIT_CWD"; fi
if [[ ${1:-} == --lab ]]; then
  export LAB_CALLER_FOLDER=$PWD
  cd "$root"
  scripts/setup.sh lab
  exec .cache/venv/bin/python -m lab prove "${@:2}"
fi
exec "$root/node_modules/.bin/tsx" "$root/bin/prove.ts" "$@"
