#!/usr/bin/env bash
# Prints what a plan will measure, show and cost, without an account; bin/plan.ts documents the arguments.
exec bash "$(dirname "${BASH_SOURCE[0]}")/run-bundle.sh" plan "$@"
