#!/usr/bin/env bash
# Reports of recorded runs in Chromium and Firefox: axe, links, values, zoom, sorting, print, widths and fonts.
# Further arguments go to node:test: npm run test:browser -- --test-name-pattern='a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/ensure-packages.sh browser
mkdir -p .cache
own=$(mktemp -d "$PWD/.cache/browser.XXXXXX")
trap 'rm -rf "$own"' EXIT
log=$own/log
# Browsers keep settings, caches and downloads in the home, which is then this one.
export HOME=$own/home XDG_CONFIG_HOME=$own/home/.config XDG_CACHE_HOME=$own/home/.cache
mkdir "$HOME"
status=0
# tsx keeps what it has compiled among the temporary files, unless it is told not to.
export TSX_DISABLE_CACHE=1
node --import "$PWD/node_modules/tsx/dist/loader.mjs" --test "$@" \
  --test-reporter=spec --test-reporter-destination=stdout \
  --test-reporter="$PWD/test/support/progress-of-node-tests.mjs" --test-reporter-destination=stderr \
  'test/browser/*.test.ts' |
  tee "$log" || status=$?
count() { sed -n "s/^ℹ $1 \([0-9]*\)$/\1/p" "$log"; }
echo "$(count pass) passed, $(($(count fail) + $(count cancelled))) failed"
exit "$status"
