#!/usr/bin/env bash
# Checks the claims of docs/on-aws.md: in an account, or in the lab if the first argument is --lab.
# test/on-aws/main.ts documents the arguments.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/use-node.sh"
# The program tsx listens on a socket among the temporary files, whose path may be too long for one; its loader does not.
prove=(node --import "$root/node_modules/tsx/dist/loader.mjs" "$root/test/on-aws/main.ts")
# npm changes to the package's folder, but the user names files from the folder that npm was called in.
if [[ ${npm_lifecycle_event:-} == prove && -n ${INIT_CWD:-} ]]; then cd "$INIT_CWD"; fi
if [[ ${1:-} == --lab ]]; then
  # The list of the checks needs no lab. Printing it first finds what is wrong with the arguments before a lab is started.
  list=$("${prove[@]}" --cannot-answer "$root/lab/cannot-prove.json" --list "${@:2}") || exit
  if [[ " ${*:2} " =~ ' '(--list|--help|-h)' ' ]]; then
    echo "$list"
    exit
  fi
  export LAB_CALLER_FOLDER=$PWD
  cd "$root"
  scripts/setup.sh lab
  exec .cache/venv/bin/python -m lab prove "${@:2}"
fi
exec "${prove[@]}" "$@"
