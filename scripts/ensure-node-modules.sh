#!/usr/bin/env bash
# Installs the npm packages of the project, or of the folder that is given, when they are missing or older than the lock
# file; otherwise it prints nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly folder=${1:-.}

# npm writes this file at the end of an install, so its presence shows that the install completed.
readonly stamp=$folder/node_modules/.package-lock.json
is_installed() { [[ -f $stamp && ! $folder/package-lock.json -nt $stamp ]]; }
is_installed && exit 0

# Two concurrent installs would break each other's files, so the second one waits and then finds nothing to do.
mkdir -p .cache
exec 9>.cache/npm.lock
flock 9
is_installed && exit 0
echo "setup: npm packages${1:+ of $1}" >&2
# The stamp gets the time of the start, because the lock file may change while npm installs what it said before.
started=$(date +%s.%N)
npm ci --prefix "$folder" --no-fund --no-audit --loglevel=error >&2
touch --date="@$started" "$stamp"
