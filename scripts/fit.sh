#!/usr/bin/env bash
# Says which instance types hold the traffic of a trace, without an account; bin/fit.ts documents the arguments.
exec bash "$(dirname "${BASH_SOURCE[0]}")/run-bundle.sh" fit "$@"
