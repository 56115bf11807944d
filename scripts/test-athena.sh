#!/usr/bin/env bash
# Every named query on real Trino and on the lab's Athena, over the same store: both must return the same rows.
# The first run on a machine fetches Trino (0.45 GB).
# Further arguments go to pytest: npm run test:athena -- test/athena/test_engines.py -k 'a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh athena
# Trino is fetched here because the lab's namespaces have no route to the outside.
.cache/venv/bin/python test/athena/trino_distribution.py >/dev/null
(($#)) || set -- test/athena
exec .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest "$@"
