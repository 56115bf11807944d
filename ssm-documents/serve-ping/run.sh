#!/bin/bash
# Streams the counters of a host while its kernel answers a ping. Without them nobody knows whether an allowance of this
# host held replies back.
source ../shared/server.sh

# echo_requests: prints how many echo requests the kernel has received. A line of names precedes that of the values.
echo_requests() {
  awk '$1 == "Icmp:" && column { print $column }
    $1 == "Icmp:" { for (i = 2; i <= NF; i += 1) if ($i == "InEchos") column = i }' /proc/net/snmp
}

# follow_ping IDLE_SECONDS: waits until echo requests have arrived and then none for so long.
follow_ping() {
  local first before now idle=0
  first=$(echo_requests)
  before=$first
  while sleep 1; do
    now=$(echo_requests)
    idle=$((now == before && now != first ? idle + 1 : 0))
    before=$now
    if ((idle >= $1)); then
      return
    fi
  done
}

# Two packets in a row may be lost.
readonly IDLE_SECONDS=$((5 + 3 * 10#$SSM_IntervalMillis / 1000))
# shellcheck disable=SC2016 # the inner shell expands it
start_detached "${STREAM[@]}" --host-role server --tool ping -- timeout -k 5 "$(server_life_seconds)" \
  bash -c "$(declare -f echo_requests follow_ping); "'follow_ping "$1"' bash "$IDLE_SECONDS"
await_server 'the streamer did not start' test -d "$STATE_DIRECTORY/spool/$SSM_RunId/$SSM_MeasurementId/server"
print_result complete 0 ''
