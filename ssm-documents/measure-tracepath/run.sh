#!/bin/bash
# Runs the tracepath of one measurement under the streamer and ends with its result.
set -euo pipefail
# shellcheck source=ssm-documents/shared/result.sh
source ../shared/result.sh
# shellcheck source=ssm-documents/shared/streamer.sh
source ../shared/streamer.sh

require_prepared_host
# Its version stands nowhere else in its output.
# shellcheck disable=SC2016 # the inner shell expands it
measure --tool tracepath -- timeout -k 5 "$((10#$SSM_DurationSeconds + 15))" env LC_ALL=C \
  bash -c 'tracepath -V; exec stdbuf -oL "$@"' bash tracepath -n -m "$SSM_MaxHops" "$SSM_ServerAddress"
