#!/usr/bin/env bash
# Installs the npm packages when they are missing or older than the lock file; prints nothing when there is nothing to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# npm writes this file at the end of every install, so it is there only if the install ran through.
readonly stamp=node_modules/.package-lock.json
if [[ ! -f $stamp || package-lock.json -nt $stamp ]]; then
  echo 'setup: npm packages' >&2
  npm ci --no-fund --no-audit --loglevel=error >&2
  touch "$stamp"
fi
