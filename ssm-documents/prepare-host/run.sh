#!/bin/bash
# Makes a fresh host ready to measure: waits for its tools, makes it quiet, installs the streamer, records what it is.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh

readonly STATE_DIRECTORY=/var/lib/network-benchmark
readonly PROGRAM_DIRECTORY=/opt/network-benchmark
readonly USER_DATA_FAILURE=$STATE_DIRECTORY/user-data-failure
# What the documents themselves are written with; the tools come as a parameter.
readonly OWN_PROGRAMS=(python3 ip ss stdbuf timeout setsid)
# As long as a pair's execution may take: a load balancer cuts the connections of a target that stops answering.
readonly RESPONDER_SECONDS=$((6 * 24 * 3600))
# The agent's time limit is a SIGKILL without a word: our own reason has to come before it.
readonly WAIT_SECONDS=$((10#$SSM_ExecutionTimeoutSeconds > 60 ? 10#$SSM_ExecutionTimeoutSeconds - 30 : 30))

missing_tools() {
  local missing=() program programs
  IFS=, read -ra programs <<<"$SSM_Programs"
  for program in "${programs[@]}" "${OWN_PROGRAMS[@]}"; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  # Looked for, not imported: that would take a quarter of a second.
  if command -v python3 >/dev/null && ! python3 -c 'import sys, importlib.util as u; sys.exit(not u.find_spec("boto3"))'; then
    missing+=(python3-boto3)
  fi
  printf '%s' "${missing[*]}"
}

# User data installs the tools while the agent is online already. A host without cloud-init has them or never will.
is_user_data_running() {
  [[ -d /run/cloud-init && ! -e /var/lib/cloud/instance/boot-finished ]]
}

wait_for_tools() {
  local missing
  while is_user_data_running; do
    if ((SECONDS >= WAIT_SECONDS)); then
      fail "user data: must end within $WAIT_SECONDS s, still runs; missing so far: $(missing_tools)"
    fi
    sleep 0.5
  done
  missing=$(missing_tools)
  if [[ -n $missing ]]; then
    fail "tools: must be installed, missing: $missing; user data said: $(tail -n 1 "$USER_DATA_FAILURE" 2>/dev/null || echo nothing)"
  fi
}

# Nothing may start beside a measurement: no refresh (it would restart the agent, a snap), no upgrade, no daily job.
make_quiet() {
  local timers=(
    apt-daily apt-daily-upgrade dpkg-db-backup e2scrub_all fstrim fwupd-refresh logrotate man-db motd-news plocate-updatedb
    snapd.snap-repair sysstat-collect sysstat-summary ua-timer update-notifier-download update-notifier-motd
  )
  if [[ -S /run/snapd.socket ]] && command -v snap >/dev/null; then
    timeout 10 snap refresh --hold >/dev/null 2>&1 || true
  fi
  if [[ -d /run/systemd/system ]]; then
    # One call; units that this host does not have are no fault.
    timeout 10 systemctl stop --no-block "${timers[@]/%/.timer}" unattended-upgrades.service packagekit.service \
      >/dev/null 2>&1 || true
  fi
}

set_mtu() {
  local interface
  interface=$(ip -o route show default | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
  [[ -n $interface ]] || fail 'network interface: must have the default route, there is none'
  ip link set dev "$interface" mtu "$SSM_MtuBytes" ||
    fail "MTU of $interface: must be $SSM_MtuBytes, could not be set"
}

is_answering() {
  [[ -n $(ss -Hlnt "sport = :$1") ]]
}

# start_health_responder PORT: returns when it answers. Outside the agent's own control group where there is a system
# manager, so that a restart of the agent does not make the host unhealthy.
start_health_responder() {
  local port=$1 responder
  ! is_answering "$port" || return 0
  responder=(timeout "$RESPONDER_SECONDS" python3 "$PROGRAM_DIRECTORY/health_responder.py" "$port")
  if [[ -d /run/systemd/system ]]; then
    systemd-run --quiet --collect --unit=network-benchmark-health "${responder[@]}"
  else
    setsid "${responder[@]}" </dev/null >/dev/null 2>&1 &
  fi
  for _ in {1..100}; do
    ! is_answering "$port" || return 0
    sleep 0.05
  done
  fail "port $port: must answer health checks, nothing listens on it"
}

# install_file PATH: what stands on stdin. Renamed into place, for a streamer may be running from it.
install_file() {
  cat >"$1.part"
  mv "$1.part" "$1"
}

mkdir -p "$STATE_DIRECTORY" "$PROGRAM_DIRECTORY"
wait_for_tools
make_quiet
set_mtu
# Plain text and not compressed: a document is read in the console by whoever wants to know what runs on these hosts.
install_file "$PROGRAM_DIRECTORY/sampling.py" <<'END_OF_FILE'
#embed ../shared/sampling.py
END_OF_FILE
install_file "$PROGRAM_DIRECTORY/upload.py" <<'END_OF_FILE'
#embed ../shared/upload.py
END_OF_FILE
install_file "$PROGRAM_DIRECTORY/stream.py" <<'END_OF_FILE'
#embed ../shared/stream.py
END_OF_FILE
install_file "$PROGRAM_DIRECTORY/health_responder.py" <<'END_OF_FILE'
#embed health_responder.py
END_OF_FILE
if ((10#$SSM_HealthCheckPort > 0)); then
  start_health_responder "$((10#$SSM_HealthCheckPort))"
fi
python3 - "$STATE_DIRECTORY/host-facts.json" <<'END_OF_FILE'
#embed host_facts.py
END_OF_FILE
print_result complete 0 ''
