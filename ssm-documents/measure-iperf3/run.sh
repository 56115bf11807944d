#!/bin/bash
# Runs the iperf3 client of one measurement under the streamer, whose result becomes the document's.
source ../shared/streamer.sh

# In a duty cycle, a run is as long as its load.
run_seconds=$((10#$SSM_DurationSeconds))
if ((10#$SSM_Runs > 1)); then
  run_seconds=$((10#$SSM_OnSeconds))
fi
# iperf3 takes a limit per stream, while the plan's limit is for all streams together. 0 means no limit; it is passed
# explicitly because iperf3's default for UDP is 1 Mbit/s.
readonly STREAM_BITS_PER_SECOND=$((10#$SSM_TargetBitsPerSecond / 10#$SSM_ParallelStreams))
iperf3=(stdbuf -oL iperf3 -c "$SSM_ServerAddress" -p "$SSM_Port" -t "$run_seconds" -P "$SSM_ParallelStreams")
iperf3+=(-b "$STREAM_BITS_PER_SECOND" --connect-timeout 5000 -i 1 -f k -V)
directions=1
if [[ $SSM_Protocol == udp ]]; then
  iperf3+=(-u)
fi
if ((10#$SSM_DatagramBytes > 0)); then
  iperf3+=(-l "$SSM_DatagramBytes")
fi
if ((10#$SSM_MssBytes > 0)); then
  iperf3+=(-M "$SSM_MssBytes")
fi
if [[ $SSM_CongestionControl != default ]]; then
  iperf3+=(-C "$SSM_CongestionControl")
fi
if ((10#$SSM_SocketBufferBytes > 0)); then
  iperf3+=(-w "$SSM_SocketBufferBytes")
fi
case $SSM_Direction in
  reverse) iperf3+=(-R) ;;
  bidirectional)
    iperf3+=(--bidir)
    directions=2
    ;;
esac

# One plain run is started by the streamer directly.
driver=()
if ((10#$SSM_Runs > 1 || 10#$SSM_StopAfterThrottledSeconds > 0 || 10#$SSM_ProbeMessagesPerSecond > 0)); then
  install_program drive_iperf3.py
  install_program latency_probe.py
  driver=(python3 "$PROGRAM_DIRECTORY/drive_iperf3.py" --runs "$SSM_Runs" --on-seconds "$SSM_OnSeconds" --off-seconds "$SSM_OffSeconds")
  driver+=(--stop-after-throttled-seconds "$SSM_StopAfterThrottledSeconds")
  driver+=(--parallel-streams "$SSM_ParallelStreams" --directions "$directions")
  driver+=(--probe-address "$SSM_ServerAddress" --probe-port "$SSM_ProbePort" --probe-protocol "$SSM_Protocol")
  driver+=(--probe-message-bytes "$SSM_ProbeMessageBytes" --probe-messages-per-second "$SSM_ProbeMessagesPerSecond" --)
fi
# Every version of iperf3 waits for ever for a peer that died without closing its connections.
readonly LIMIT_SECONDS=$((10#$SSM_DurationSeconds + 15))
measure --tool iperf3 -- timeout -k 5 "$LIMIT_SECONDS" "${driver[@]}" "${iperf3[@]}"
