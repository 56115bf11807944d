#!/usr/bin/env bash
# Installs what is missing, then runs the fault campaign; test/faults/__main__.py documents the arguments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh lab
# The package `faults` is in test/, and imports the lab's from here.
export PYTHONPATH=$PWD/test
exec .cache/venv/bin/python -m faults "$@"
