#!/usr/bin/env bash
# Installs the npm packages of the project, or of the folder that is given, when they are missing or older than the lock
# file; otherwise it prints nothing. Runs on macOS, too (test/scripts/portable-scripts.test.ts).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/waiting.sh
folder=${1:-.}

# npm writes this file at the end of an install, so its presence shows that the install completed.
stamp=$folder/node_modules/.package-lock.json
is_installed() { [[ -f $stamp && ! $folder/package-lock.json -nt $stamp ]]; }
is_installed && exit 0

# Two concurrent installs would break each other's files, so the second one waits and then finds nothing to do.
mkdir -p .cache
lock .cache/npm.lock
is_installed && exit 0
# The stamp gets the time of the start, because the lock file may change while npm installs what it said before.
started=.cache/npm.started
touch "$started"
say_while "setup: npm packages${1:+ of $1}" npm ci --prefix "$folder" --no-fund --no-audit --loglevel=error >&2
touch -r "$started" "$stamp"
rm "$started"
