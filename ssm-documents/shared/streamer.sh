# shellcheck shell=bash
# How a tool is started: by the streamer, and outside the agent's own control group, so that a restart of the agent does
# not take a measurement with it.

readonly STATE_DIRECTORY=/var/lib/network-benchmark
readonly STREAMER=/opt/network-benchmark/stream.py

# A scope keeps environment and parent and only changes the control group. Not every host has a system manager to ask.
outside_agent_cgroup=()
if [[ -d /run/systemd/system ]] && systemctl show --property=Version >/dev/null 2>&1; then
  outside_agent_cgroup=(systemd-run --scope --quiet --collect)
fi

require_prepared_host() {
  if [[ ! -f $STREAMER || ! -f $STATE_DIRECTORY/host-facts.json ]]; then
    fail "$STREAMER: must be there, prepare-host has not completed on this host"
  fi
}

# install_program NAME: what stands on stdin, beside the streamer and its modules.
install_program() {
  cat >"${STREAMER%/*}/$1.part"
  mv "${STREAMER%/*}/$1.part" "${STREAMER%/*}/$1"
}

# The streamer's command line up to what differs: host role, tool, and the tool's own command line.
streamer=("${outside_agent_cgroup[@]}" python3 "$STREAMER" --run-id "$SSM_RunId" --pair-id "$SSM_PairId")
streamer+=(--measurement-id "$SSM_MeasurementId" --bucket "$SSM_BucketName")

# measure ARGUMENTS-OF-THE-STREAMER…: its result is the document's. This shell stays its parent: a cancelled command is
# killed with its process group, and the end of this shell is how the streamer hears of it.
measure() {
  local status=0
  "${streamer[@]}" --host-role client --end-with-parent "$@" || status=$?
  if ((status > 1)); then
    fail "streamer: must exit with 0 or 1, got $status"
  fi
  exit "$status"
}
