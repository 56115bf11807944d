#!/usr/bin/env bash
# Analyses result files offline; bin/analyse.ts documents the arguments.
exec bash "$(dirname "${BASH_SOURCE[0]}")/run-bundle.sh" analyse "$@"
