#!/bin/bash
# Runs at the first boot of a measuring host: sets the deadline at which the host powers itself off, then installs the
# packages of the programs that the image lacks. The script is the same for every host; everything that differs between
# hosts is in their tags.
set -uo pipefail

readonly STATE_DIRECTORY=/var/lib/network-benchmark
readonly UNIT_DIRECTORY=/etc/systemd/system
readonly METADATA=http://169.254.169.254
# The programs that the documents and this script need, each with its package. Synthesis fills in those of the tools.
readonly OWN_PROGRAMS=(curl=curl ethtool=ethtool)
readonly TOOL_PROGRAMS=()
readonly BOTO3_PACKAGE=python3-boto3
# By default apt waits half a minute several times for each address of an unreachable archive, but prepare-host gives up
# after nine and a half minutes.
readonly APT_GET=(apt-get -q -o DPkg::Lock::Timeout=120 -o Acquire::http::Timeout=20 -o Acquire::Retries=0)
readonly LAST_ATTEMPT_SECONDS=240
readonly SERVICE_POLICY=/usr/sbin/policy-rc.d
readonly DEFAULT_LIFETIME='3 hours'

# power_off_at UNIX-TIME: sets a calendar timer, because a reboot would cancel `shutdown +N` and this script runs once.
# The timer is persistent, so that a deadline that passes while the host is down is not skipped. Because of the launch
# template, powering off terminates the host.
power_off_at() {
  local deadline
  deadline=$(date -u -d "@$1" '+%Y-%m-%d %H:%M:%S UTC')
  mkdir -p "$UNIT_DIRECTORY"
  cat >"$UNIT_DIRECTORY/network-benchmark-deadline.service" <<EOF
[Unit]
Description=Powers off this measuring host
FailureAction=poweroff-force

[Service]
Type=oneshot
ExecStart=/usr/bin/systemctl --no-block poweroff
EOF
  cat >"$UNIT_DIRECTORY/network-benchmark-deadline.timer" <<EOF
[Unit]
Description=Deadline of this measuring host

[Timer]
OnCalendar=$deadline
AccuracySec=1s
Persistent=true

[Install]
WantedBy=timers.target
EOF
  systemctl daemon-reload
  systemctl enable network-benchmark-deadline.timer
  systemctl restart network-benchmark-deadline.timer
}

metadata() {
  curl --silent --show-error --fail --max-time 5 --retry 5 --retry-connrefused --retry-delay 1 "$@"
}

# Prints the deadline in the host's tag. Fails if there is no tag, or if its value is not an ISO 8601 instant in UTC.
expires_at() {
  local token value
  token=$(metadata -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 300' "$METADATA/latest/api/token") || return 1
  value=$(metadata -H "X-aws-ec2-metadata-token: $token" \
    "$METADATA/latest/meta-data/tags/instance/network-benchmark:expires-at") || return 1
  [[ $value =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$ ]] || return 1
  printf '%s' "$value"
}

set_deadline() {
  local value deadline
  # Set a default deadline before anything that can fail, so that the host ends in any case.
  power_off_at "$(date -u -d "now + $DEFAULT_LIFETIME" +%s)"
  if ! value=$(expires_at) || ! deadline=$(date -u -d "$value" +%s); then
    echo "deadline: the tag could not be read, so this host powers off in $DEFAULT_LIFETIME"
    return
  fi
  if ((deadline <= $(date -u +%s))); then
    # A calendar timer for an instant in the past never fires.
    echo "deadline: $value has passed, so this host powers off now"
    systemctl --no-block poweroff
    exit 1
  fi
  power_off_at "$deadline"
  echo "deadline: $value"
}

enabled_services() {
  systemctl list-unit-files --type=service --state=enabled --no-legend --plain | cut -d' ' -f1 | sort
}

# disable_new_services SERVICES-BEFORE: disables what packages have enabled, because a reboot would start it.
disable_new_services() {
  local -a new=()
  mapfile -t new < <(comm -13 <(printf '%s\n' "$1") <(enabled_services))
  ((${#new[@]} == 0)) || systemctl disable "${new[@]}"
}

# Prints the packages of the programs that the image lacks. An image may have a program without its package.
missing_packages() {
  local program
  for program in "${OWN_PROGRAMS[@]}" "${TOOL_PROGRAMS[@]}"; do
    command -v "${program%%=*}" >/dev/null || printf '%s\n' "${program#*=}"
  done
  python3 -c 'import sys, importlib.util as u; sys.exit(not u.find_spec("boto3"))' || printf '%s\n' "$BOTO3_PACKAGE"
}

# Uses no archive if the image has every program, because its host may be unable to reach one.
install_packages() {
  local attempt services missing=()
  mapfile -t missing < <(missing_packages | sort -u)
  ((${#missing[@]} > 0)) || return 0
  services=$(enabled_services)
  export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
  # Packages run this program before they start a service. Exit code 101 forbids it: a measuring host must be idle.
  printf '#!/bin/sh\nexit 101\n' >"$SERVICE_POLICY"
  chmod 755 "$SERVICE_POLICY"
  for attempt in {1..5}; do
    # The daily apt jobs may hold the lock shortly after the first boot.
    if "${APT_GET[@]}" update && "${APT_GET[@]}" install -y --no-install-recommends "${missing[@]}"; then
      rm "$SERVICE_POLICY"
      disable_new_services "$services"
      return
    fi
    echo "packages: attempt $attempt failed"
    ((SECONDS < LAST_ATTEMPT_SECONDS)) || break
    sleep $((attempt * 3))
  done
  return 1
}

mkdir -p "$STATE_DIRECTORY"
set_deadline
if ! install_packages >"$STATE_DIRECTORY/user-data.log" 2>&1; then
  # prepare-host quotes this line when it finds that a tool is missing.
  grep '^E:' "$STATE_DIRECTORY/user-data.log" | tail -n 1 >"$STATE_DIRECTORY/user-data-failure"
  exit 1
fi
