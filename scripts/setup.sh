#!/usr/bin/env bash
# Installs what a purpose needs besides Node, and skips what is installed already: `setup.sh PURPOSE`.
#   lab     the lab and the fault campaign          athena  the queries on real Trino
#   test    the lanes python and lab                boot    hosts that boot
#   check   linters and formatters
# Packages come from the distribution's archive (ensure-packages.sh), all else goes to .cache/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly purpose=${1:?usage: setup.sh lab|test|athena|boot|check}
source scripts/waiting.sh

# install_python_environment FOLDER REQUIREMENTS…
install_python_environment() {
  local -r folder=$1
  shift
  local wanted
  wanted=$(cat "$@" | sha256sum | cut -d' ' -f1)
  local -r stamp=$folder/installed-$purpose
  [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return 0
  say_while "setup: Python packages in $folder" install_python_packages "$folder" "$@" >&2
  echo "$wanted" >"$stamp"
}

install_python_packages() {
  local -r folder=$1
  local file
  local -a arguments=()
  for file in "${@:2}"; do arguments+=(-r "$file"); done
  { [[ -x $folder/bin/python ]] || python3 -m venv "$folder"; } &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${arguments[@]}"
}

scripts/ensure-packages.sh "$purpose"
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "setup: python3 must be Python 3.11 or later, got $(python3 --version)" >&2
  exit 1
fi

# Two concurrent installations would break each other's files.
mkdir -p .cache
lock .cache/setup.lock
requirements=(lab/requirements.txt)
[[ $purpose == lab ]] || requirements+=(test/requirements.txt)
[[ $purpose == athena ]] && requirements+=(test/athena/requirements.txt)
install_python_environment .cache/venv "${requirements[@]}"
if [[ $purpose == test ]]; then
  # The AWS CLI pins another botocore than the lab's embedded AWS, so it has an environment of its own.
  install_python_environment .cache/aws-cli test/docs/aws-cli-requirements.txt
  scripts/ensure-node-modules.sh test/witnesses/iam-simulator
  # LocalStack's interpreter runs the state machines in a test, as a process that shares no package with the lab.
  install_python_environment .cache/localstack/venv test/workflow/localstack/requirements.txt
  .cache/venv/bin/python test/workflow/localstack/java_libraries.py
fi
