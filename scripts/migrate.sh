#!/usr/bin/env bash
# Moves rows of the layout before folding into today's tables. bin/migrate.ts documents the arguments.
exec bash "$(dirname "${BASH_SOURCE[0]}")/run-bundle.sh" migrate "$@"
