#!/bin/bash
# Runs the iperf3 client of one measurement under the streamer and ends with its result.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh

require_prepared_host
# iperf3 limits each stream, the plan all of them. 0 is "not limited", for UDP too, where its own default is 1 Mbit/s.
readonly STREAM_BITS_PER_SECOND=$((10#$SSM_TargetBitsPerSecond / 10#$SSM_ParallelStreams))
arguments=(-c "$SSM_ServerAddress" -p "$SSM_Port" -t "$SSM_DurationSeconds" -P "$SSM_ParallelStreams")
arguments+=(-b "$STREAM_BITS_PER_SECOND" --connect-timeout 5000 -i 1 -f k -V)
if [[ $SSM_Protocol == udp ]]; then
  arguments+=(-u)
fi
case $SSM_Direction in
  reverse) arguments+=(-R) ;;
  bidirectional) arguments+=(--bidir) ;;
esac
# A peer that dies without a word leaves iperf3 waiting for ever, on every version.
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 15))
measure --tool iperf3 -- timeout -k 5 "$LIMIT_SECONDS" stdbuf -oL iperf3 "${arguments[@]}"
