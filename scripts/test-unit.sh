#!/usr/bin/env bash
# Jest: everything in TypeScript, and its types beside it. Needs the npm packages, but neither root nor the lab's tools.
# Further arguments go to Jest: npm run test:unit -- test/domain/plan -t 'a part of the name'
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
source scripts/use-node.sh || exit

mkdir -p .cache
node_modules/.bin/tsc -p . >.cache/types.log &
types=$!
node_modules/.bin/jest "$@"
tests_status=$?
wait "$types" && exit "$tests_status"
echo 'test: types: must hold before a test says anything, got:' >&2
cat .cache/types.log >&2
exit 1
