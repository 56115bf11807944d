#!/usr/bin/env bash
# Source this file for what scripts do while they wait: for a lock, or for a program that prints nothing by itself.
# `plan` and `analyse` run on macOS, too, so this file keeps to bash 3.2 and to what POSIX has
# (test/scripts/portable-scripts.test.ts).

# lock FILE: waits until this shell holds the lock of the file, and keeps it until the shell ends.
lock() {
  exec 9>"$1"
  _take_lock at-once || say_while "setup: waiting for another command that is installing something ($1)" _take_lock
}

# _take_lock [at-once]: locks the file that is open as 9; with the argument, fails if another process has locked it.
_take_lock() {
  # The lock belongs to the open file, which this shell and the program share, so it stays when the program has ended.
  # macOS has no flock(1), but it has perl.
  if command -v flock >/dev/null; then
    flock ${1:+-n} 9
  else
    perl -e 'use Fcntl ":flock"; open(LOCK, ">&=", 9) or die "lock: $!\n"; flock(LOCK, $ARGV[0] ? LOCK_EX | LOCK_NB : LOCK_EX) or exit 1' "${1:-}"
  fi
}

# say_while WHAT COMMAND…: prints what is being done, and every four seconds for how long the command has been running.
# Returns the command's exit code.
say_while() {
  local what=$1 status=0
  shift
  echo "$what" >&2
  _say_seconds "$what" &
  local speaker=$!
  "$@" || status=$?
  kill "$speaker" 2>/dev/null || true
  # Without this wait, the shell would report that the background process was terminated.
  wait "$speaker" 2>/dev/null || true
  return "$status"
}

_say_seconds() {
  local started=$SECONDS pause
  exec 9>&-
  trap 'kill "$pause" 2>/dev/null; exit 0' TERM
  # A caller that is killed by force cannot end this loop, so the loop looks for its caller.
  while kill -0 $$ 2>/dev/null; do
    sleep 4 >/dev/null 2>&1 &
    pause=$!
    wait "$pause" || return 0
    echo "$1: $((SECONDS - started)) s so far" >&2
  done
}
