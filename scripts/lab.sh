#!/usr/bin/env bash
# Installs what is missing, then runs the lab; `npm run lab -- --help` lists the arguments.
set -euo pipefail
here=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh lab
export LAB_CALLER_FOLDER=${INIT_CWD:-$here}
exec .cache/venv/bin/python -m lab "$@"
