#!/bin/bash
# Runs the tracepath of one measurement under the streamer, whose result becomes the document's.
source ../shared/streamer.sh

# tracepath's normal output does not contain its version.
# shellcheck disable=SC2016 # the inner shell expands it
measure --tool tracepath -- timeout -k 5 "$((10#$SSM_DurationSeconds + 15))" env LC_ALL=C \
  bash -c 'tracepath -V; exec stdbuf -oL "$@"' bash tracepath -n -m "$SSM_MaxHops" "$SSM_ServerAddress"
