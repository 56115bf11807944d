#!/usr/bin/env bash
# What `measurements` costs as a table of Iceberg, beside closed months: npm run bench:iceberg -- RUNS_A_YEAR [STORE]
# STORE is a folder for the store, which is made unless it is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh athena
# The lab's namespaces have no route to the outside.
export PYTHONPATH=.
for needed in trino_distribution iceberg_trino; do .cache/venv/bin/python "test/athena/$needed.py" >/dev/null; done
exec .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python test/athena/bench_iceberg.py "$@"
