#!/usr/bin/env bash
# The lab end to end: whole runs through the service on this machine, with hosts that are killed and runs that are
# stopped. Further arguments go to pytest: npm run test:lab -- test/end_to_end/test_failures.py -k 'a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh test
if (($# == 0)); then
  # Most tests wait for tools and hosts, so several files run at once, each worker in its own copy of the namespaces.
  # A worker's lab needs some 0.6 GB of memory and, on average, a fifth of a core.
  worker='popen//python=.cache/venv/bin/python -m lab.namespace .cache/venv/bin/python'
  set -- --dist loadfile --no-loadscope-reorder --tx "3*$worker" --durations=25 test/end_to_end
fi
exec .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest "$@"
