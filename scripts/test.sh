#!/usr/bin/env bash
# Runs lanes of tests, by default unit, python and lab, and adds up their counts: scripts/test.sh
# [unit|python|boot|lab|athena|browser]... Arguments that name no lane go to Jest: npm test -- test/domain runs just those files.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  cat <<'EOT'
usage: npm test                          the lanes unit, python and lab
       npm test -- LANE…                 some of the lanes unit, python, boot, lab, athena and browser
       npm test -- [FILE…] [OPTION…]     files of the lane unit, with Jest's options
       npm run test:LANE -- [FILE…] [OPTION…]     files of a lane, with the options of its runner (Jest or pytest)

Installs what is missing first. Exit code: 0 when every test has passed, 1 when not, 2 when a lane does not exist.
EOT
  exit
fi
is_lane() { [[ $1 =~ ^(unit|python|boot|lab|athena|browser)$ ]]; }
(($#)) || set -- unit python lab
is_lane "$1" || exec scripts/test-unit.sh "$@"

mkdir -p .cache
logs=$(mktemp -d "$PWD/.cache/test.XXXXXX")
trap 'rm -rf "$logs"' EXIT
failed_lanes=()
passed=0
failed=0

# Adds up the counts that each lane prints at its end; a lane without counts counts as one failure.
add_up() {
  local -r lane=$1 status=$2
  local counts
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$logs/$lane" | tail -n 1)
  [[ ${counts:-0 passed, 1 failed} =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]
  ((passed += BASH_REMATCH[1], failed += BASH_REMATCH[2]))
  ((status == 0)) || failed_lanes+=("$lane")
}

for lane in "$@"; do
  is_lane "$lane" || { echo "test: lane: must be unit, python, boot, lab, athena or browser, got \"$lane\"" >&2; exit 2; }
done
# What is missing is installed first, because two installations at once get in each other's way.
if [[ " $* " == *' lab '* ]]; then
  { source scripts/use-node.sh && scripts/setup.sh test; } || exit 1
fi
start() {
  case $1 in
    unit | boot | browser) "scripts/test-$1.sh" ;;
    *) scripts/test-python.sh "$1" ;;
  esac
}
run() {
  local -r lane=$1
  echo "lane $lane"
  start "$lane" 2>&1 | tee "$logs/$lane"
  add_up "$lane" "${PIPESTATUS[0]}"
}
[[ " $* " != *' unit '* ]] || run unit
# The end-to-end runs mostly wait, so they run beside the other lanes, but not beside Jest, which takes every core;
# their output comes last.
lab=
if [[ " $* " == *' lab '* ]]; then
  start lab >"$logs/lab" 2>&1 &
  lab=$!
fi
for lane in "$@"; do
  [[ $lane == unit || $lane == lab ]] || run "$lane"
done
if [[ -n $lab ]]; then
  echo 'lane lab'
  # Prints the lane's output so far and then as it comes, because it takes minutes longer than the other lanes.
  tail --lines=+1 --follow --pid="$lab" "$logs/lab"
  wait "$lab"
  add_up lab "$?"
fi

((${#failed_lanes[@]} == 0)) || echo "test: failed lanes: ${failed_lanes[*]}"
echo "$passed passed, $failed failed"
((${#failed_lanes[@]} == 0 && failed == 0))
