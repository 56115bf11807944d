#!/usr/bin/env bash
# Installs the distribution's packages that a purpose needs: `ensure-packages.sh lab|test|athena|boot|browser|check`. It skips what
# is there already. Where it may not install, it prints the one line that an administrator has to run, and stops.
# `ensure-packages.sh --list PURPOSE` prints the names of all packages of the purpose instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/waiting.sh

# Each entry is command:package, with the package's name in Debian and Ubuntu. Any of several commands will do: one|other:package.
tools=()
lab_tools=(iperf3:iperf3 sockperf:sockperf ping:iputils-ping tracepath:iputils-tracepath curl:curl openssl:openssl)
lab_tools+=(nginx:nginx-light /usr/lib/nginx/modules/ngx_stream_module.so:libnginx-mod-stream nft:nftables)
lab_tools+=(ip:iproute2 tc:iproute2 ethtool:ethtool unshare:util-linux nsenter:util-linux mount:mount)

choose_tools() {
  case $1 in
    lab) tools=("${lab_tools[@]}") ;;
    # Java libraries and Trino come from Maven Central by Python, which asks the system for its certificates.
    test | athena) tools=("${lab_tools[@]}" pgrep:procps /etc/ssl/certs/ca-certificates.crt:ca-certificates) ;;
    boot) tools=("${lab_tools[@]}" mmdebstrap:mmdebstrap) ;;
    # The browsers are in the order in which test/browser/browsers.ts looks for them.
    browser) tools=("chromium|chromium-browser|google-chrome:chromium" "firefox-esr|firefox:firefox-esr" pdftotext:poppler-utils fc-list:fontconfig
      /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fonts-dejavu-core
      /usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf:fonts-liberation) ;;
    check) tools=(shellcheck:shellcheck git:git) ;;
    *)
      echo "setup: purpose: must be lab, test, athena, boot, browser or check, got \"$1\"" >&2
      exit 2
      ;;
  esac
}

# On Debian, an ordinary user's PATH lacks sbin.
has_tool() {
  local names name
  IFS='|' read -ra names <<<"$1"
  for name in "${names[@]}"; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "$name" >/dev/null && return
    [[ $name == /* && -e $name ]] && return
  done
  return 1
}

missing_packages() {
  local tool
  for tool in "${tools[@]}"; do
    has_tool "${tool%%:*}" || echo "${tool##*:}"
  done
  # Without the package python3-venv, Debian's venv module exists but fails because ensurepip is missing.
  python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
}

# Tests set OS_RELEASE.
is_ubuntu() {
  # shellcheck disable=SC1090,SC1091
  (source "${OS_RELEASE:-/etc/os-release}" && [[ $ID == ubuntu ]])
}

# The kernel settings, as name=value, that an administrator has to change before this user may make namespaces.
missing_settings() {
  if [[ $purpose != check && $purpose != browser ]] && has_tool python3; then python3 -B -m lab.namespace --missing-settings; fi
}

# Prints the one command with which an administrator installs and permits all that is missing. The lab does not need
# nginx as a service, which its package would start.
print_line() {
  local commands=
  if ((${#missing[@]})); then
    commands="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    if [[ " ${missing[*]} " == *' nginx-light '* && -d /run/systemd/system ]]; then
      commands+=' && systemctl disable --now nginx'
    fi
  fi
  if ((${#settings[@]})); then commands+="${commands:+ && }sysctl -w ${settings[*]}"; fi
  if command -v sudo >/dev/null; then
    echo "  sudo sh -c '$commands'"
  else
    # Without the dash, su keeps the user's PATH, on which dpkg misses its programs.
    echo "  su - -c '$commands'"
  fi
}

install_as_root() {
  "${as_root[@]}" apt-get update -qq
  # The lab starts its own nginx, so the package must not start one as a service, neither now nor at the next boot.
  local -r policy=/usr/sbin/policy-rc.d
  local -i own_policy=0 status=0
  if [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod +x "$policy"
    own_policy=1
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" ||
    status=$?
  ((own_policy)) && "${as_root[@]}" rm -f "$policy"
  if [[ " ${missing[*]} " == *' nginx-light '* && -d /run/systemd/system ]]; then
    "${as_root[@]}" systemctl disable --quiet nginx
  fi
  return "$status"
}

if [[ ${1:-} == --list ]]; then
  choose_tools "${2:-}"
  printf '%s\n' "${tools[@]##*:}" python3-venv | sort -u
  exit
fi

purpose=${1:-}
choose_tools "$purpose"
settings=()
[[ $(id -u) == 0 ]] || mapfile -t settings < <(missing_settings)
((${#settings[@]} == 0)) || tools+=(sysctl:procps)
mapfile -t missing < <(missing_packages | sort -u)
((${#missing[@]} || ${#settings[@]})) || exit 0

if ! command -v apt-get >/dev/null; then
  echo "setup: needs Debian or Ubuntu, because tools are missing here and there is no apt-get: ${missing[*]}." \
    'On another system, use the container of .devcontainer/ (docs/set-up.md).' >&2
  exit 1
fi
if [[ " ${missing[*]} " == *' chromium '* || " ${missing[*]} " == *' firefox-esr '* ]] && is_ubuntu; then
  echo "setup: Ubuntu's archive has no Chromium and no Firefox but as snaps, which can't be driven here. Install" \
    'google-chrome and firefox from the archives of Google and Mozilla, or use the container of .devcontainer/' \
    '(docs/set-up.md).' >&2
  exit 1
fi
as_root=()
if [[ $(id -u) != 0 ]]; then
  if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
    echo 'setup: this user may not install what is missing. Have an administrator run this line, then start again:' >&2
    print_line >&2
    exit 1
  fi
  as_root=(sudo -n)
fi
if ((${#missing[@]})); then say_while "setup: apt packages: ${missing[*]}" install_as_root >&2; fi
if ((${#settings[@]})); then "${as_root[@]}" sysctl -q -w "${settings[@]}" >&2; fi
