#!/bin/bash
# Starts a sockperf server. It prints nothing about a measurement, so that no streamer runs beside it.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh
# shellcheck source=ssm-documents/shared/server.sh
source ../shared/server.sh

require_prepared_host
clear_port "$SSM_Port"
arguments=(-p "$SSM_Port")
if [[ $SSM_Protocol == tcp ]]; then
  arguments+=(--tcp)
fi
start_server "$SSM_Protocol" "$SSM_Port" "${outside_agent_cgroup[@]}" \
  timeout -k 5 "$(server_life_seconds)" sockperf server "${arguments[@]}"
print_result complete 0 ''
