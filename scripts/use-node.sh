#!/usr/bin/env bash
# Source this file to get a supported Node first on PATH and the npm packages installed. `package.json` says which Node
# is supported. When PATH has an older one, the version that .nvmrc names is fetched once from the npm registry to
# .cache/; the npm that is already there runs on it as well. Works on macOS, too (test/scripts/portable-scripts.test.ts).

# shellcheck source=scripts/waiting.sh
source "$(dirname "${BASH_SOURCE[0]}")/waiting.sh"

use_supported_node() {
  local root oldest version major architecture folder
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  oldest=$(sed -n 's/.*"node": ">=\([0-9]*\)".*/\1/p' "$root/package.json")
  major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
  ((${major:-0} >= oldest)) && return

  version=$(<"$root/.nvmrc")
  folder=$root/.cache/node-$version
  if [[ ! -x $folder/bin/node ]]; then
    case $(uname -sm) in
      'Linux x86_64') architecture=x64 ;;
      'Linux aarch64') architecture=arm64 ;;
      *) architecture= ;;
    esac
    if ! { [[ -n $architecture ]] && install_node "$folder" "node-linux-$architecture@$version"; }; then
      echo "setup: Node $oldest or later is needed, found $(node --version 2>/dev/null || echo none), and fetching" \
        "Node $version from the npm registry failed. Install Node $version, then start again." >&2
      return 1
    fi
  fi
  export PATH=$folder/bin:$PATH
}

# The package holds the binary itself, so no install script runs and nothing but the registry is asked. A second caller
# waits for the first and then finds the work done.
install_node() {
  local folder=$1 package=$2
  mkdir -p "${folder%/*}"
  (
    lock "$folder.lock"
    [[ -x $folder/bin/node ]] && exit 0
    fetched=$(mktemp -d "$folder.XXXXXX")
    trap 'rm -rf "$fetched"' EXIT
    say_while "setup: $package" \
      npm install --prefix "$fetched" --no-save --ignore-scripts --no-fund --no-audit --loglevel=error "$package" >&2 || exit
    # A binary for another processor or C library installs, but does not run.
    "$fetched/node_modules/${package%@*}/bin/node" --version >/dev/null || exit
    mkdir -p "$folder/bin"
    mv "$fetched/node_modules/${package%@*}/bin/node" "$folder/bin/node"
  )
}

# Both are folders of the checkout, because npm would keep what it has compiled among the machine's temporary files, and
# the compiler that Jest uses would unpack itself to the home.
NODE_COMPILE_CACHE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.cache/node-compile-cache
SWC_NATIVE_BINDING_CACHE=${NODE_COMPILE_CACHE%/*}/swc
export NODE_COMPILE_CACHE SWC_NATIVE_BINDING_CACHE

if ! use_supported_node || ! "$(dirname "${BASH_SOURCE[0]}")/ensure-node-modules.sh"; then return 1; fi
