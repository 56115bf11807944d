#!/usr/bin/env bash
# Scores this project's detector beside others that are on PyPI: research/compare-detectors.sh SERIES.jsonl.gz
# The others have an environment of their own in .cache/detectors, because nothing else needs them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python="$root/.cache/detectors/bin/python"
[[ -x $python ]] || python3 -m venv "$root/.cache/detectors"
"$python" -m pip install --quiet --disable-pip-version-check ruptures==1.1.10 apache-otava==0.8.0
exec "$python" "$root/research/compare-detectors.py" "$@"
