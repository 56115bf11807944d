#!/usr/bin/env bash
# Types, linters and formatters, the same here and in CI. Runs all of them, then fails if any of them failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
source scripts/use-node.sh || exit 1
scripts/setup.sh check || exit 1
scripts/ensure-actionlint.sh || exit 1

failed=()
run() {
  local -r name=$1
  shift
  printf '%s … ' "$name"
  if output=$("$@" 2>&1); then
    echo ok
  else
    echo failed
    printf '%s\n' "$output"
    failed+=("$name")
  fi
}

shell_files() { git ls-files --cached --others --exclude-standard -- '*.sh' .ci/run; }

run types node_modules/.bin/tsc -p .
run "types of the report's script" node_modules/.bin/tsc -p browser
run "types of the tests in browsers" node_modules/.bin/tsc -p test/browser
# ESLint's typed rules keep the whole repository's types in memory, some 4 GB, which is Node's default limit.
run eslint node --max-old-space-size=6144 node_modules/eslint/bin/eslint.js .
run 'dependency law' node_modules/.bin/depcruise --config .dependency-cruiser.mjs bin domain lib lambdas test/on-aws
run knip node_modules/.bin/knip
run prettier node_modules/.bin/prettier --check .
mapfile -t scripts < <(shell_files)
run shellcheck shellcheck --external-sources "${scripts[@]}"
run actionlint .cache/bin/actionlint
run ruff .cache/venv/bin/ruff check .
run 'ruff format' .cache/venv/bin/ruff format --check .
run mypy .cache/venv/bin/python -m mypy

if ((${#failed[@]})); then
  echo "check: failed: ${failed[*]}"
  exit 1
fi
