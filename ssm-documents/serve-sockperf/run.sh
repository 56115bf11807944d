#!/bin/bash
# Starts a sockperf server under the streamer. The server prints no figures, but the counters of its host show how much
# arrives, and whether an allowance of the host held anything back.
source ../shared/server.sh
source ../shared/flows.sh

# With several flows the server listens on a port for each, and opens the last one last.
last_port=$SSM_Port
for port in $(flow_ports); do
  clear_port "$port"
  last_port=$port
done
server=(timeout -k 5 "$(server_life_seconds)" stdbuf -oL sockperf server)
if ((10#$SSM_ParallelStreams > 1)); then
  readonly FLOWS=$STATE_DIRECTORY/flows-$SSM_MeasurementId-server
  flow_list 0.0.0.0 "$FLOWS"
  # Without a limit to its waiting it wakes up 100 times a second, and would never count as idle.
  server+=(-f "$FLOWS" -F epoll --timeout=-1)
else
  server+=(-p "$SSM_Port")
  if [[ $SSM_Protocol == tcp ]]; then
    server+=(--tcp)
  fi
fi
start_server "$SSM_Protocol" "$last_port" "${STREAM[@]}" --host-role server --tool sockperf -- "${server[@]}"
end_servers_when_idle "$SSM_Port"
print_result complete 0 ''
