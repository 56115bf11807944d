# shellcheck shell=bash
# What every document shares: strict mode, its folders on the host, and its result. The result is the last line on
# standard output, one short JSON object, and the exit code 0 or 1. The agent gives the exit codes 137, 168, 169 and 194
# a meaning of its own, and may drop a reply that is long or not printable.
set -euo pipefail

# With Default Host Management, the agent names a file here that has the credentials of another role. The SDKs would
# prefer it to the instance profile, whose role alone may write below this host's prefix.
unset AWS_SHARED_CREDENTIALS_FILE

# shellcheck disable=SC2034 # not every document uses both
readonly STATE_DIRECTORY=/var/lib/network-benchmark
readonly PROGRAM_DIRECTORY=/opt/network-benchmark

# print_result STATUS EXIT_CODE REASON
print_result() {
  local reason
  reason=$(LC_ALL=C tr -c ' -~' ' ' <<<"$3" | tr '\042\134' '\047\057' | sed 's/ *$//' | cut -c1-400)
  printf '{"status":"%s","exitCode":%s,"reason":"%s"}\n' "$1" "$2" "$reason"
}

# fail REASON: names a full disk too, which may be the cause of whatever failed.
fail() {
  trap - ERR
  local reason=$1 free
  # Free blocks times their bytes, which the arithmetic multiplies.
  free=$(stat -fc '%f*%S' "$STATE_DIRECTORY") || free=1000000
  ((free >= 1000000)) || reason="${reason:0:300}; the disk is full"
  print_result failed null "$reason"
  exit 1
}

set -E
trap 'fail "line $LINENO: $BASH_COMMAND"' ERR

# install_program FILE: writes standard input, which the builder makes from the file, to a file of this name on the
# host. It renames, because the host may be running the old one.
install_program() {
  local -r path=$PROGRAM_DIRECTORY/${1##*/}
  cat >"$path.part"
  mv "$path.part" "$path"
}
