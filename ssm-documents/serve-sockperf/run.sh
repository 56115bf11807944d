#!/bin/bash
# Starts a sockperf server. It prints nothing about a measurement; where what arrives is to be known, it is counted beside it.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh
# shellcheck source=ssm-documents/shared/server.sh
source ../shared/server.sh

require_prepared_host
clear_port "$SSM_Port"
server=(timeout -k 5 "$(server_life_seconds)" stdbuf -oL sockperf server -p "$SSM_Port")
if [[ $SSM_Protocol == tcp ]]; then
  server+=(--tcp)
fi
if [[ $SSM_Mode == throughput ]]; then
  start_server "$SSM_Protocol" "$SSM_Port" "${streamer[@]}" --host-role server --tool sockperf -- "${server[@]}"
  end_servers_when_idle "$SSM_Port"
else
  start_server "$SSM_Protocol" "$SSM_Port" "${outside_agent_cgroup[@]}" "${server[@]}"
fi
print_result complete 0 ''
