# shellcheck shell=bash
# A document's result: its last line on stdout is one short JSON object, its exit code 0 or 1. (137, 168, 169 and 194 mean
# something of their own to the agent, and what is long or not printable can make it drop the reply.)

# print_result STATUS EXIT_CODE REASON
print_result() {
  local reason
  reason=$(LC_ALL=C tr -c ' -~' ' ' <<<"$3" | tr '\042\134' '\047\057' | sed 's/ *$//' | cut -c1-400)
  printf '{"status":"%s","exitCode":%s,"reason":"%s"}\n' "$1" "$2" "$reason"
}

fail() {
  trap - ERR
  print_result failed null "$1"
  exit 1
}

set -E
trap 'fail "line $LINENO: $BASH_COMMAND"' ERR
