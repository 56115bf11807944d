#!/usr/bin/env bash
# pytest, in one of three lanes, which the first argument may name:
#   python   host scripts, documents, queries and the parts of the lab, with the real tools (the default)
#   lab      whole runs through the service on this machine, with hosts that are killed and runs that are stopped
#   athena   every named query on real Trino and on the lab's Athena, over the same store: both must return the same rows.
#            The first run on a machine fetches Trino (0.45 GB).
# Further arguments go to pytest: npm run test:lab -- test/end_to_end/test_failures.py -k 'a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
lane=python
if [[ ${1:-} =~ ^(python|lab|athena)$ ]]; then
  lane=$1
  shift
fi
if [[ $lane == athena ]]; then
  scripts/setup.sh athena
  # Trino is fetched here because the lab's namespaces have no route to the outside.
  .cache/venv/bin/python test/athena/trino_distribution.py >/dev/null
else
  scripts/setup.sh test
fi
if (($# == 0)); then
  # Most tests wait for tools and hosts, so several files run at once, each worker in its own copy of the namespaces.
  # A worker's lab needs some 0.6 GB of memory and, on average, a fifth of a core.
  worker='popen//python=.cache/venv/bin/python -m lab.namespace .cache/venv/bin/python'
  at_once=(--dist loadfile --tx "3*$worker")
  case $lane in
    python) set -- "${at_once[@]}" test --ignore=test/end_to_end --ignore=test/athena --ignore=test/boot ;;
    lab) set -- "${at_once[@]}" --no-loadscope-reorder --durations=25 test/end_to_end ;;
    athena) set -- test/athena ;;
  esac
fi
# The lab's namespaces have no route to the outside, which shows that no test needs one.
exec .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest "$@"
