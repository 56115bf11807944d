#!/bin/bash
# Probes the way to the server. This runs before prepare-host, which may wait long for packages, so that a pair whose
# hosts cannot reach each other fails at once. It is good also where nothing arrives: connect-pair judges what it prints.
source ../shared/document.sh

command -v python3 >/dev/null || fail 'tools: must be installed, missing: python3'
mkdir -p "$PROGRAM_DIRECTORY"
install_program probe_path.py
python3 "$PROGRAM_DIRECTORY/probe_path.py" "$SSM_ServerAddress" "$SSM_Port"
print_result complete 0 ''
