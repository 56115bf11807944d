#!/bin/bash
# First boot of a measuring host: its own end first, then its tools. Static: all that differs between hosts is in tags.
set -uo pipefail

readonly STATE_DIRECTORY=/var/lib/network-benchmark
readonly UNIT_DIRECTORY=/etc/systemd/system
readonly METADATA=${AWS_EC2_METADATA_SERVICE_ENDPOINT:-http://169.254.169.254}
# What the documents and this script need; the tools' packages are filled in when the stack is synthesised.
readonly OWN_PACKAGES=(curl python3-boto3 ethtool)
readonly TOOL_PACKAGES=()
readonly SERVICE_POLICY=/usr/sbin/policy-rc.d
readonly DEFAULT_LIFE='3 hours'

# power_off_at UNIX-TIME. A calendar timer, because `shutdown +N` is forgotten at a reboot and this script runs once;
# Persistent, because a deadline that passes while the host is down would be skipped. Power-off means termination: the
# launch template says so.
power_off_at() {
  local deadline
  deadline=$(date -u -d "@$1" '+%Y-%m-%d %H:%M:%S UTC')
  mkdir -p "$UNIT_DIRECTORY"
  cat >"$UNIT_DIRECTORY/network-benchmark-deadline.service" <<EOF
[Unit]
Description=End of this measuring host
FailureAction=poweroff-force

[Service]
Type=oneshot
ExecStart=/usr/bin/systemctl --no-block poweroff
EOF
  cat >"$UNIT_DIRECTORY/network-benchmark-deadline.timer" <<EOF
[Unit]
Description=Absolute deadline of this measuring host

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

# Prints the tag's value; fails when there is none, or one that is not an ISO 8601 instant in UTC.
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
  # Before the first question to anybody: whatever fails from here on, this host ends.
  power_off_at "$(date -u -d "now + $DEFAULT_LIFE" +%s)"
  if ! value=$(expires_at) || ! deadline=$(date -u -d "$value" +%s); then
    echo "deadline: tag could not be read, this host ends in $DEFAULT_LIFE"
    return
  fi
  if ((deadline <= $(date -u +%s))); then
    # A calendar timer of the past never fires.
    echo "deadline: $value is over, this host ends now"
    systemctl --no-block poweroff
    exit 1
  fi
  power_off_at "$deadline"
  echo "deadline: $value"
}

install_packages() {
  local attempt
  export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
  # Packages ask this before they start a service of theirs: nothing runs on a measuring host by itself.
  printf '#!/bin/sh\nexit 101\n' >"$SERVICE_POLICY"
  chmod 755 "$SERVICE_POLICY"
  for attempt in {1..5}; do
    # The daily apt jobs may hold the lock right after the first boot.
    if apt-get -q -o DPkg::Lock::Timeout=120 update &&
      apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends \
        "${OWN_PACKAGES[@]}" "${TOOL_PACKAGES[@]}"; then
      rm "$SERVICE_POLICY"
      return 0
    fi
    echo "packages: attempt $attempt failed"
    sleep $((attempt * 3))
  done
  return 1
}

mkdir -p "$STATE_DIRECTORY"
set_deadline
if ! install_packages >"$STATE_DIRECTORY/user-data.log" 2>&1; then
  # prepare-host quotes this where it finds a tool missing.
  grep '^E:' "$STATE_DIRECTORY/user-data.log" | tail -n 1 >"$STATE_DIRECTORY/user-data-failure"
  exit 1
fi
