#!/bin/bash
# Starts a sockperf server. It prints no figures; in throughput mode it runs under the streamer, whose interface
# counters show how much arrives.
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
  server+=(-f "$FLOWS" -F epoll)
else
  server+=(-p "$SSM_Port")
  if [[ $SSM_Protocol == tcp ]]; then
    server+=(--tcp)
  fi
fi
if [[ $SSM_Mode == throughput ]]; then
  start_server "$SSM_Protocol" "$SSM_Port" "${STREAM[@]}" --host-role server --tool sockperf -- "${server[@]}"
  end_servers_when_idle "$SSM_Port"
else
  start_server "$SSM_Protocol" "$last_port" "${IN_OWN_SCOPE[@]}" "${server[@]}"
fi
print_result complete 0 ''
