#!/bin/bash
# Starts an nginx that serves one object from memory. It runs under the streamer, which records the server's CPU time.
source ../shared/server.sh

install_program serve_nginx.py
clear_port "$SSM_Port"
start_server tcp "$SSM_Port" "${STREAM[@]}" --host-role server --tool http --program nginx -- \
  timeout -k 5 "$(server_life_seconds)" python3 -u "$PROGRAM_DIRECTORY/serve_nginx.py" \
  --port "$SSM_Port" --scheme "$SSM_Scheme" --object-bytes "$SSM_ObjectBytes"
print_result complete 0 ''
