#!/bin/bash
# Runs the sockperf client of one measurement under the streamer and ends with its result.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh

require_prepared_host
# --full-rtt: otherwise sockperf halves what it measured and calls it latency.
arguments=(-i "$SSM_ServerAddress" -p "$SSM_Port" -m "$SSM_MessageBytes" -t "$SSM_DurationSeconds" --full-rtt --mps=max)
if [[ $SSM_Protocol == tcp ]]; then
  arguments+=(--tcp)
fi
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 15))
measure --tool sockperf -- \
  timeout -k 5 "$LIMIT_SECONDS" stdbuf -oL sockperf ping-pong "${arguments[@]}"
