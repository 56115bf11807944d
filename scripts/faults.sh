#!/usr/bin/env bash
# Installs what is missing, then runs the fault campaign; lab/campaign/__main__.py documents the arguments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/use-node.sh
scripts/setup.sh lab
exec .cache/venv/bin/python -m lab.campaign "$@"
