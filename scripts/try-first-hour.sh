#!/usr/bin/env bash
# The first hour of a new user on a fresh Debian 12; try_first_hour.py documents the arguments.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/try_first_hour.py" "$@"
