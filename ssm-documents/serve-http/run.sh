#!/bin/bash
# Starts an nginx that serves one object from memory. It runs under the streamer, which records the server's CPU time.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh
# shellcheck source=ssm-documents/shared/server.sh
source ../shared/server.sh

require_prepared_host
install_program serve_nginx.py <<'END_OF_FILE'
#embed serve_nginx.py
END_OF_FILE
clear_port "$SSM_Port"
start_server tcp "$SSM_Port" "${STREAM[@]}" --host-role server --tool http --program nginx -- \
  timeout -k 5 "$(server_life_seconds)" python3 -u "${STREAMER%/*}/serve_nginx.py" \
  --port "$SSM_Port" --scheme "$SSM_Scheme" --object-bytes "$SSM_ObjectBytes"
print_result complete 0 ''
