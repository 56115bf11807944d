#!/bin/bash
# Streams the counters of a host while its kernel answers a ping. Without them nobody knows whether an allowance of this
# host held replies back.
source ../shared/server.sh

# Prints how many echo requests the kernel has received. A line of names precedes that of the values.
echo_requests() {
  awk '$1 == "Icmp:" && column { print $column }
    $1 == "Icmp:" { for (i = 2; i <= NF; i += 1) if ($i == "InEchos") column = i }' /proc/net/snmp
}

# Two packets in a row may be lost.
readonly IDLE_SECONDS=$((5 + 3 * 10#$SSM_IntervalMillis / 1000))
# shellcheck disable=SC2016 # the inner shell expands it
start_detached "${STREAM[@]}" --host-role server --tool ping -- timeout -k 5 "$(server_life_seconds)" \
  bash -c "$(declare -f echo_requests await_idle); "'await_idle "$1" echo_requests' bash "$IDLE_SECONDS"
await_server 'the streamer did not start' test -d "$STATE_DIRECTORY/spool/$SSM_RunId/$SSM_MeasurementId/server"
print_result complete 0 ''
