#!/usr/bin/env bash
# Sets up what is missing, then runs the lab; see lab/__main__.py for its arguments.
set -euo pipefail
here=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh lab
export LAB_CALLER_FOLDER=${INIT_CWD:-$here}
exec .cache/venv/bin/python -m lab "$@"
