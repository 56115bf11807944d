#!/bin/bash
# Starts a sockperf server. It prints no figures; in throughput mode it runs under the streamer, whose interface
# counters show how much arrives.
source ../shared/server.sh

clear_port "$SSM_Port"
server=(timeout -k 5 "$(server_life_seconds)" stdbuf -oL sockperf server -p "$SSM_Port")
if [[ $SSM_Protocol == tcp ]]; then
  server+=(--tcp)
fi
if [[ $SSM_Mode == throughput ]]; then
  start_server "$SSM_Protocol" "$SSM_Port" "${STREAM[@]}" --host-role server --tool sockperf -- "${server[@]}"
  end_servers_when_idle "$SSM_Port"
else
  start_server "$SSM_Protocol" "$SSM_Port" "${IN_OWN_SCOPE[@]}" "${server[@]}"
fi
print_result complete 0 ''
