#!/bin/bash
# Starts an iperf3 server for one client, under the streamer: in a forward test the receiver's figures are the server's.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh
# shellcheck source=ssm-documents/shared/server.sh
source ../shared/server.sh

require_prepared_host
clear_port "$SSM_Port"
# Whatever the test's protocol, iperf3's server listens for its control connection on TCP.
start_server tcp "$SSM_Port" "${streamer[@]}" --host-role server --tool iperf3 -- \
  timeout -k 5 "$(server_life_seconds)" stdbuf -oL iperf3 -s -1 -i 1 -f k -V -p "$SSM_Port"
print_result complete 0 ''
