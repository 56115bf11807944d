#!/usr/bin/env bash
# Installs what the lab (`setup.sh lab`), the tests (`setup.sh test`), the conformance tests of the queries
# (`setup.sh athena`) or the hosts that boot (`setup.sh boot`) need besides Node: tools from the distribution's archive and a Python environment in .cache/venv.
# It skips what is installed already. Where it may not install, it prints the exact line to run and stops.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly purpose=${1:?usage: setup.sh lab|test|athena|boot}

# Each entry is command:package, with the package's name in Debian and Ubuntu.
tools=(iperf3:iperf3 sockperf:sockperf ping:iputils-ping tracepath:iputils-tracepath nginx:nginx-light curl:curl openssl:openssl)
tools+=(nft:nftables ip:iproute2 tc:iproute2 ethtool:ethtool unshare:util-linux nsenter:util-linux)
[[ $purpose == boot ]] && tools+=(mmdebstrap:mmdebstrap)
[[ $purpose == test ]] && tools+=(shellcheck:shellcheck)

missing_packages() {
  local tool
  for tool in "${tools[@]}"; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${tool%%:*}" >/dev/null || echo "${tool##*:}"
  done
  # Without the package python3-venv, Debian's venv module exists but fails because ensurepip is missing.
  python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
}

install_packages() {
  local -a missing=()
  mapfile -t missing < <(missing_packages | sort -u)
  ((${#missing[@]})) || return 0
  local -a as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
      echo 'setup: tools are missing, and this user may not install them. Run this line, then start again:' >&2
      echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo -n)
  fi
  echo "setup: apt packages: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2
  # The lab starts its own nginx, so the package must not start one as a service, neither now nor at the next boot.
  local -r policy=/usr/sbin/policy-rc.d
  local -i own_policy=0
  if [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod +x "$policy"
    own_policy=1
  fi
  local -i status=0
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
    status=$?
  ((own_policy)) && "${as_root[@]}" rm -f "$policy"
  if [[ " ${missing[*]} " == *' nginx-light '* && -d /run/systemd/system ]]; then
    "${as_root[@]}" systemctl disable --quiet nginx
  fi
  return "$status"
}

# install_python_environment FOLDER REQUIREMENTS…
install_python_environment() {
  local -r folder=$1
  shift
  local wanted file
  wanted=$(cat "$@" | sha256sum | cut -d' ' -f1)
  local -r stamp=$folder/installed-$purpose
  [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return 0
  echo "setup: Python environment in $folder" >&2
  [[ -x $folder/bin/python ]] || python3 -m venv "$folder"
  local -a arguments=()
  for file in "$@"; do arguments+=(-r "$file"); done
  "$folder/bin/pip" install --quiet --disable-pip-version-check "${arguments[@]}" >&2
  echo "$wanted" >"$stamp"
}

requirements=(lab/requirements.txt)
[[ $purpose == lab ]] || requirements+=(test/requirements.txt)
[[ $purpose == athena ]] && requirements+=(test/athena/requirements.txt)

install_packages
install_python_environment .cache/venv "${requirements[@]}"
# The AWS CLI pins another botocore than the lab's embedded AWS, so it has an environment of its own.
[[ $purpose != test ]] || install_python_environment .cache/aws-cli test/docs/aws-cli-requirements.txt
[[ $purpose != test ]] || scripts/ensure-node-modules.sh test/witnesses/iam-simulator
# LocalStack's interpreter runs the state machines in a test, as a process that shares no package with the lab.
if [[ $purpose == test ]]; then
  install_python_environment .cache/localstack/venv test/workflow/localstack/requirements.txt
  .cache/venv/bin/python test/workflow/localstack/java_libraries.py
fi
