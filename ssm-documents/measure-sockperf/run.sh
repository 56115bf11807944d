#!/bin/bash
# Runs the sockperf client of one measurement under the streamer, whose result becomes the document's.
source ../shared/streamer.sh
source ../shared/flows.sh

arguments=(-m "$SSM_MessageBytes" -t "$SSM_DurationSeconds")
if ((10#$SSM_ParallelStreams > 1)); then
  readonly FLOWS=$STATE_DIRECTORY/flows-$SSM_MeasurementId
  flow_list "$SSM_ServerAddress" "$FLOWS"
  arguments+=(-f "$FLOWS" -F epoll)
else
  arguments+=(-i "$SSM_ServerAddress" -p "$SSM_Port")
  if [[ $SSM_Protocol == tcp ]]; then
    arguments+=(--tcp)
  fi
fi
case $SSM_Mode in
  ping_pong)
    # Before the first message, sockperf allocates 16 bytes for each message that its rate allows. At "max" that is 10
    # MB per second of the test, so a small host would be out of memory within ten minutes. The rate is therefore what
    # fits into 256 MB. It does not slow a ping-pong down, unless a round trip takes less than DURATION / 16,000,000.
    rate=$((16000000 / (10#$SSM_DurationSeconds > 0 ? 10#$SSM_DurationSeconds : 1)))
    if ((rate > 600000)); then
      rate=max
    fi
    # Without --full-rtt sockperf halves the round trip and reports that as latency.
    arguments=(ping-pong "${arguments[@]}" --full-rtt "--mps=$rate")
    ;;
  under_load)
    arguments=(under-load "${arguments[@]}" --full-rtt "--mps=$SSM_MessagesPerSecond" "--reply-every=$SSM_ReplyEvery")
    ;;
  throughput)
    arguments=(throughput "${arguments[@]}" --mps=max)
    ;;
esac
# After its time sockperf waits for the last messages and sorts its samples.
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 30))
measure --tool sockperf --upload-deadline-seconds 45 -- \
  timeout -k 5 "$LIMIT_SECONDS" stdbuf -oL sockperf "${arguments[@]}"
