#!/bin/bash
# Starts an iperf3 server for one measurement. It runs under the streamer, because in a forward test the receiver's
# figures are the server's.
source ../shared/server.sh

clear_port "$SSM_Port"
# The latency probe's server prints no figures, so it does not need the streamer.
if ((10#$SSM_ProbeMessagesPerSecond > 0)); then
  clear_port "$SSM_ProbePort"
  sockperf=(sockperf server -p "$SSM_ProbePort")
  if [[ $SSM_Protocol == tcp ]]; then
    sockperf+=(--tcp)
  fi
  SSM_MeasurementId=$SSM_MeasurementId-probe start_server "$SSM_Protocol" "$SSM_ProbePort" "${IN_OWN_SCOPE[@]}" \
    timeout -k 5 "$(server_life_seconds)" "${sockperf[@]}"
fi
# In a duty cycle each run has a server of its own, so that the last server's end is the end of the measurement.
driver=()
if ((10#$SSM_Runs > 1)); then
  install_program ../measure-iperf3/drive_iperf3.py
  driver=(python3 "$PROGRAM_DIRECTORY/drive_iperf3.py" --is-server --runs "$SSM_Runs" --on-seconds "$SSM_OnSeconds" --off-seconds "$SSM_OffSeconds" --)
fi
# For UDP tests, too, iperf3's server listens on TCP: for the control connection.
start_server tcp "$SSM_Port" "${STREAM[@]}" --host-role server --tool iperf3 -- \
  timeout -k 5 "$(server_life_seconds)" "${driver[@]}" stdbuf -oL iperf3 -s -1 -i 1 -f k -V -p "$SSM_Port"
print_result complete 0 ''
