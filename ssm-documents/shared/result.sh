# shellcheck shell=bash
# A document's result is its last line on standard output, one short JSON object, and its exit code 0 or 1. The agent
# gives the exit codes 137, 168, 169 and 194 a meaning of its own, and may drop a reply that is long or not printable.

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
