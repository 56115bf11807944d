#!/usr/bin/env bash
# The lab end to end: whole runs through the service on this machine, with hosts that are killed and runs that are
# stopped. Further arguments go to pytest: npm run test:lab -- test/end_to_end/test_failures.py -k 'a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh test
(($#)) || set -- test/end_to_end
exec .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest "$@"
