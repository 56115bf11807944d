#!/usr/bin/env bash
# All tests: TypeScript by Jest, Python by pytest (host scripts, lab, templates), and lab runs end to end.
# Further arguments go to Jest alone: `npm test -- test/domain` runs just those files.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
scripts/setup.sh test || exit 1

if (($#)); then exec node_modules/.bin/jest "$@"; fi

# Results as files, because the totals come from both runners.
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

node_modules/.bin/jest --json --outputFile="$results/jest.json" --testLocationInResults
jest_status=$?
# Inside the lab's namespaces there is no way out: synthesis, documents and lab are shown to need no network.
.cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest test --junitxml="$results/pytest.xml"
pytest_status=$?

python3 scripts/count-tests.py "$results/jest.json" "$results/pytest.xml" || exit 1
((jest_status == 0 && pytest_status == 0))
