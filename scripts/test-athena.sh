#!/usr/bin/env bash
# Every named query on real Trino and on the lab's Athena, over the same store: the rows must be the same.
# The first run on a machine fetches Trino (0.45 GB); further arguments go to pytest.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
scripts/setup.sh athena || exit 1

# Here, because inside the lab's namespaces there is no way out.
.cache/venv/bin/python test/athena/trino_distribution.py >/dev/null || exit 1

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# Trino, embedded AWS and hosts end with the namespaces, whatever happens.
.cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest --junitxml="$results/athena.xml" test/athena "$@"
status=$?
python3 scripts/count-tests.py "$results/athena.xml" || exit 1
exit "$status"
