#!/usr/bin/env bash
# Reports of recorded runs in Chromium and Firefox: axe, links, values, zoom, sorting, print, widths and fonts.
# Further arguments go to node:test: npm run test:browser -- --test-name-pattern='a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/ensure-packages.sh browser
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
node --import tsx --test --test-reporter=spec "$@" 'test/browser/*.test.ts' | tee "$log" || status=$?
count() { sed -n "s/^ℹ $1 \([0-9]*\)$/\1/p" "$log"; }
echo "$(count pass) passed, $(($(count fail) + $(count cancelled))) failed"
exit "$status"
