#!/usr/bin/env bash
# TypeScript by Jest, Python by pytest (host scripts, lab, templates), and lab runs end to end: all tests but those of
# `npm run test:athena`, which need Trino. Further arguments go to Jest alone: `npm test -- test/domain` runs just those files.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
scripts/setup.sh test || exit 1

if (($#)); then exec node_modules/.bin/jest "$@"; fi

# Results as files, because the totals come from both runners.
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# Inside the lab's namespaces there is no way out: synthesis, documents and lab are shown to need no network.
run_pytest() {
  local -r name=$1
  shift
  .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest --junitxml="$results/$name.xml" "$@"
}

# The end-to-end runs mostly wait, so they go beside all others, in namespaces of their own; what they print comes last.
run_pytest end-to-end test/end_to_end >"$results/end-to-end.log" 2>&1 &
end_to_end=$!
node_modules/.bin/jest --json --outputFile="$results/jest.json" --testLocationInResults
jest_status=$?
run_pytest others test --ignore=test/end_to_end --ignore=test/athena
others_status=$?
wait "$end_to_end"
end_to_end_status=$?
cat "$results/end-to-end.log"

python3 scripts/count-tests.py "$results/jest.json" "$results/others.xml" "$results/end-to-end.xml" || exit 1
((jest_status == 0 && others_status == 0 && end_to_end_status == 0))
