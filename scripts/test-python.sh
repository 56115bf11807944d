#!/usr/bin/env bash
# pytest: host scripts, documents, queries and the parts of the lab, with the real tools.
# Further arguments go to pytest: npm run test:python -- test/lab/test_namespace.py -k 'a part of the name'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh test
if (($# == 0)); then
  # Most tests wait for tools and hosts, so several files run at once, each worker in its own copy of the namespaces.
  worker='popen//python=.cache/venv/bin/python -m lab.namespace .cache/venv/bin/python'
  set -- --dist loadfile --tx "3*$worker" test --ignore=test/end_to_end --ignore=test/athena --ignore=test/boot
fi
# The lab's namespaces have no route to the outside, which shows that no test needs one.
exec .cache/venv/bin/python -m lab.namespace .cache/venv/bin/python -m pytest "$@"
