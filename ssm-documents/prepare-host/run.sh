#!/bin/bash
# Makes a fresh host ready to measure: waits for its tools, stops background jobs, installs the streamer, records facts.
source ../shared/document.sh

readonly USER_DATA_FAILURE=$STATE_DIRECTORY/user-data-failure
# What the documents themselves need, each program with its package; the measuring tools are a parameter.
readonly OWN_PROGRAMS=(
  python3=python3 ip=iproute2 ss=iproute2 stdbuf=coreutils timeout=coreutils setsid=util-linux ethtool=ethtool
)
# As long as a pair's execution may take: a load balancer resets the connections of a target that stops answering.
readonly RESPONDER_SECONDS=$((6 * 24 * 3600))
# At its time limit the agent kills the script without a message, so this script gives up earlier and says why.
readonly WAIT_SECONDS=$((10#$SSM_ExecutionTimeoutSeconds > 60 ? 10#$SSM_ExecutionTimeoutSeconds - 30 : 30))

# Prints what is missing, each program with its package.
missing_tools() {
  local missing=() program programs packages
  IFS=, read -ra programs <<<"$SSM_Programs"
  IFS=, read -ra packages <<<"$SSM_Packages"
  for program in "${!programs[@]}"; do
    programs[program]+="=${packages[program]}"
  done
  for program in "${programs[@]}" "${OWN_PROGRAMS[@]}"; do
    command -v "${program%%=*}" >/dev/null || missing+=("${program%%=*} (${program#*=})")
  done
  # Look the module up without importing it: the import would take a quarter of a second.
  if ! python3 -c 'import sys, importlib.util as u; sys.exit(not u.find_spec("boto3"))'; then
    missing+=('boto3 (python3-boto3)')
  fi
  ((${#missing[@]} == 0)) || printf '%s, ' "${missing[@]}" | sed 's/, $//'
}

# The agent is online before user data has installed the tools. cloud-init writes this file when user data has ended.
wait_for_tools() {
  local missing
  until [[ -e /var/lib/cloud/instance/boot-finished ]]; do
    if ((SECONDS >= WAIT_SECONDS)); then
      fail "user data: must end within $WAIT_SECONDS s, still runs; missing so far: $(missing_tools)"
    fi
    sleep 0.5
  done
  missing=$(missing_tools)
  if [[ -n $missing ]]; then
    fail "tools: must be installed, missing programs (packages): $missing; docs/private-hosts.md says how to make an image that has them; user data reported: $(cat "$USER_DATA_FAILURE" 2>/dev/null || echo nothing)"
  fi
}

# Nothing may start during a measurement: no upgrade, no daily job, and no snap refresh, which would restart the agent.
stop_background_jobs() {
  local status=0 timers=(
    apt-daily apt-daily-upgrade dpkg-db-backup e2scrub_all fstrim fwupd-refresh logrotate man-db motd-news plocate-updatedb
    snapd.snap-repair sysstat-collect sysstat-summary systemd-tmpfiles-clean ua-timer
    update-notifier-download update-notifier-motd
  )
  timeout 30 snap refresh --hold >/dev/null
  timeout 30 systemctl stop --no-block "${timers[@]/%/.timer}" unattended-upgrades.service packagekit.service 2>/dev/null ||
    status=$?
  # systemctl stops the units that exist, and exits with 5 when some of them do not; images differ in which they have.
  ((status == 0 || status == 5)) || fail "background jobs: must be stopped, systemctl ended with exit code $status"
}

find_interface() {
  interface=$(ip -o route show default | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
  [[ -n $interface ]] || fail 'network interface: must have the default route, there is none'
}

set_mtu() {
  ip link set dev "$interface" mtu "$SSM_MtuBytes" ||
    fail "MTU of $interface: must be $SSM_MtuBytes, could not be set"
}

# Makes the settings that AWS asks for where ENA Express is on (EC2 user guide, "Improve network performance with ENA
# Express", prerequisites for Linux instances; check-ena-express-settings.sh in amzn/amzn-ec2-ena-utilities). What the
# host refuses stays as it is: the facts have the values that the host ended up with, and the analysis warns of those
# that differ.
set_up_ena_express() {
  local longest_ring output_bytes=1048576 queue
  if [[ $SSM_EnaExpress == off ]]; then return; fi
  if [[ $SSM_EnaExpress == other_zone ]]; then output_bytes=4194304; fi
  # The first RX of `ethtool -g` is the longest ring that the driver has, the second is the present one.
  longest_ring=$(ethtool -g "$interface" 2>/dev/null | sed -n 's/^RX:[[:space:]]*\([0-9]*\)$/\1/p' | head -n 1) || true
  if [[ -n $longest_ring ]]; then
    # Refused where the ring has this length already, too.
    ethtool -G "$interface" rx "$((longest_ring < 8192 ? longest_ring : 8192))" 2>/dev/null || true
  fi
  for queue in "/sys/class/net/$interface/queues/"tx-*; do
    { echo max >"$queue/byte_queue_limits/limit_min"; } 2>/dev/null || true
  done
  { echo "$output_bytes" >/proc/sys/net/ipv4/tcp_limit_output_bytes; } 2>/dev/null || true
  { echo 0 >/proc/sys/net/ipv4/tcp_autocorking; } 2>/dev/null || true
}

is_answering() {
  [[ -n $(ss -Hlnt "sport = :$1") ]]
}

# start_health_responder PORT: returns once it answers. It is a service of its own, outside the agent's control group,
# so that a restart of the agent does not make the host unhealthy.
start_health_responder() {
  local port=$1
  ! is_answering "$port" || return 0
  systemd-run --quiet --collect --unit=network-benchmark-health \
    timeout "$RESPONDER_SECONDS" python3 "$PROGRAM_DIRECTORY/health_responder.py" "$port"
  for _ in {1..100}; do
    ! is_answering "$port" || return 0
    sleep 0.05
  done
  fail "port $port: must answer health checks, nothing listens on it"
}

mkdir -p "$STATE_DIRECTORY" "$PROGRAM_DIRECTORY"
wait_for_tools
stop_background_jobs
find_interface
set_mtu
set_up_ena_express
# The document contains the programs as plain text, so that a reader of the document in the console sees what runs on
# these hosts.
install_program ../shared/sampling.py
install_program ../shared/upload.py
install_program ../shared/tool_run.py
install_program ../shared/stream.py
install_program health_responder.py
install_program host_facts.py
if ((10#$SSM_HealthCheckPort > 0)); then
  start_health_responder "$((10#$SSM_HealthCheckPort))"
fi
python3 "$PROGRAM_DIRECTORY/host_facts.py" "$STATE_DIRECTORY/host-facts.json"
print_result complete 0 ''
