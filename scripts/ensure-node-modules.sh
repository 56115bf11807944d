#!/usr/bin/env bash
# Installs the npm packages when they are missing or older than the lock file; prints nothing when there is nothing to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# npm writes this file at the end of every install, so it is there only if the install ran through.
readonly stamp=node_modules/.package-lock.json
is_installed() { [[ -f $stamp && ! package-lock.json -nt $stamp ]]; }
is_installed && exit 0

# Two installs at once destroy each other's work: the second waits, and then finds nothing to do.
mkdir -p .cache
exec 9>.cache/npm.lock
flock 9
is_installed && exit 0
echo 'setup: npm packages' >&2
npm ci --no-fund --no-audit --loglevel=error >&2
touch "$stamp"
