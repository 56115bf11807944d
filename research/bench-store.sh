#!/usr/bin/env bash
# What the named queries cost over a generated year of runs: requests, bytes, CPU and memory, each beside its limit.
# npm run bench:store -- --short takes some two minutes; --help lists the parameters.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh athena
# Trino is fetched here because the lab's namespaces have no route to the outside.
.cache/venv/bin/python test/athena/trino_distribution.py >/dev/null
PYTHONPATH=. exec .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python test/athena/bench_store.py "$@"
