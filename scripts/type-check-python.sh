#!/usr/bin/env bash
# Checks the types of all Python outside the tests with mypy's strict rules. Run by scripts/check.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

type_check() { .cache/venv/bin/python -m mypy --strict "$@"; }

type_check lab/__main__.py lab/namespace.py lab/agent lab/hosts lab/runner
# Documents install their programs into one folder of the host, so modules of different folders import each other.
MYPYPATH=ssm-documents/shared:ssm-documents/measure-iperf3 type_check ssm-documents/*/*.py
MYPYPATH=test/ssm-documents type_check scripts/*.py
