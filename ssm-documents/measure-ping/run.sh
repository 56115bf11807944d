#!/bin/bash
# Runs the ping of one measurement under the streamer, whose result becomes the document's.
source ../shared/streamer.sh

# ping takes seconds.
interval=$(printf '%d.%03d' "$((10#$SSM_IntervalMillis / 1000))" "$((10#$SSM_IntervalMillis % 1000))")
arguments=(-n -c "$SSM_PacketCount" -i "$interval" -s "$SSM_PacketBytes" -W 2)
# ping sends each packet a kernel tick or so late, and waits for the last reply.
readonly LIMIT_SECONDS=$((10#$SSM_PacketCount * (10#$SSM_IntervalMillis + 5) / 1000 + 10))
# ping's normal output does not contain its version.
# shellcheck disable=SC2016 # the inner shell expands it
measure --tool ping --upload-deadline-seconds 25 -- timeout -k 5 "$LIMIT_SECONDS" env LC_ALL=C \
  bash -c 'ping -V; exec stdbuf -oL "$@"' bash ping "${arguments[@]}" "$SSM_ServerAddress"
