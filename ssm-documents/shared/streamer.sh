# shellcheck shell=bash
# Starts a tool under the streamer and outside the agent's control group: a restart of the agent kills its control
# group, and would take the measurement with it.

source ../shared/document.sh

readonly STREAMER=$PROGRAM_DIRECTORY/stream.py
# A scope keeps environment and parent and changes only the control group.
readonly IN_OWN_SCOPE=(systemd-run --scope --quiet --collect)

if [[ ! -f $STREAMER || ! -f $STATE_DIRECTORY/host-facts.json ]]; then
  fail "$STREAMER: must be there, prepare-host has not completed on this host"
fi

# The part of the streamer's command line that all documents share; host role, tool and the tool's command line follow.
readonly STREAM=("${IN_OWN_SCOPE[@]}" python3 "$STREAMER" --run-id "$SSM_RunId" --pair-id "$SSM_PairId"
  --measurement-id "$SSM_MeasurementId" --bucket "$SSM_BucketName")

# measure STREAMER-ARGUMENTS…: the streamer's result becomes the document's. This shell stays its parent, because a
# cancelled command is killed with its process group, and the streamer notices that by the end of its parent.
measure() {
  local status=0
  "${STREAM[@]}" --host-role client --end-with-parent "$@" || status=$?
  if ((status > 1)); then
    fail "streamer: must exit with 0 or 1, got $status"
  fi
  exit "$status"
}
