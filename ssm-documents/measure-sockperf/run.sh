#!/bin/bash
# Runs the sockperf client of one measurement under the streamer and ends with its result.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh

require_prepared_host
arguments=(-i "$SSM_ServerAddress" -p "$SSM_Port" -m "$SSM_MessageBytes" -t "$SSM_DurationSeconds")
if [[ $SSM_Protocol == tcp ]]; then
  arguments+=(--tcp)
fi
case $SSM_Mode in
  ping_pong)
    # sockperf takes 16 bytes for every message that its rate allows before it sends the first: 10 MB a second at "max",
    # and the host is out of memory before ten minutes. So the rate is what fits 256 MB. A ping-pong is slower than that by
    # its own round trips, unless those take less than DURATION / 16,000,000.
    rate=$((16000000 / (10#$SSM_DurationSeconds > 0 ? 10#$SSM_DurationSeconds : 1)))
    if ((rate > 600000)); then
      rate=max
    fi
    # --full-rtt: otherwise sockperf halves what it measured and calls it latency.
    arguments=(ping-pong "${arguments[@]}" --full-rtt "--mps=$rate")
    ;;
  under_load)
    arguments=(under-load "${arguments[@]}" --full-rtt "--mps=$SSM_MessagesPerSecond" "--reply-every=$SSM_ReplyEvery")
    ;;
  throughput)
    arguments=(throughput "${arguments[@]}" --mps=max)
    ;;
esac
# After its time sockperf waits for the last messages and sorts what it saw.
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 30))
measure --tool sockperf --upload-deadline-seconds 45 -- \
  timeout -k 5 "$LIMIT_SECONDS" stdbuf -oL sockperf "${arguments[@]}"
