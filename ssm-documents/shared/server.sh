# shellcheck shell=bash
# What the serving documents share: a free port, a server that outlives the command, and a return only once it listens.

source ../shared/streamer.sh

# The life of a server: long enough for a client whose command is refused for two and a half minutes at first, and for its
# connection and time limit; short enough that none stays for long.
server_life_seconds() {
  printf '%s' "$((10#$SSM_DurationSeconds + 270))"
}

# port_holders PORT: prints the ids of the processes that have a socket on this local port.
port_holders() {
  ss -Htuanp "sport = :$1" | tr ',' '\n' | sed -n 's/^pid=//p' | sort -un
}

# Servers and their children run in this directory, and are recognised by it: a process can overwrite its environment,
# as nginx does, and can lose its parents, but keeps its working directory.
readonly SERVER_DIRECTORY=$STATE_DIRECTORY/servers

# clear_port PORT: ends what an earlier command left on the port, since a cancelled command cannot clean up.
clear_port() {
  local port=$1 holders pid signal
  holders=$(port_holders "$port")
  # Check all of them before ending the first, so that a foreign process and its port stay as they are.
  for pid in $holders; do
    # A process that has ended in the meantime has no directory, and no longer holds the port.
    if ! [[ /proc/$pid/cwd -ef $SERVER_DIRECTORY ]] && port_holders "$port" | grep -x "$pid" >/dev/null; then
      fail "port $port: must be free, is held by $(cat "/proc/$pid/comm" 2>/dev/null) (process $pid)"
    fi
  done
  for signal in TERM KILL; do
    for pid in $holders; do
      # The process may end by itself before the signal.
      kill "-$signal" "$pid" 2>/dev/null || true
    done
    for _ in {1..40}; do
      [[ -n $(port_holders "$port") ]] || return 0
      sleep 0.05
    done
    holders=$(port_holders "$port")
  done
  fail "port $port: must be free, is still held by $(xargs <<<"$holders")"
}

# start_detached COMMAND…: starts what outlives this command. It gets a session of its own and inherits no pipe, because
# the agent waits until all pipes of the command are closed.
start_detached() {
  mkdir -p "$SERVER_DIRECTORY"
  SERVER_LOG=$STATE_DIRECTORY/serve-$SSM_MeasurementId.log
  env --chdir="$SERVER_DIRECTORY" setsid "$@" </dev/null >"$SERVER_LOG" 2>&1 &
  SERVER_PID=$!
}

# await_server FAILURE COMMAND…: returns once the command succeeds; fails where what was started ends before that.
await_server() {
  local failure=$1
  shift
  for _ in {1..200}; do
    ! "$@" || return 0
    kill -0 "$SERVER_PID" 2>/dev/null || break
    sleep 0.05
  done
  fail "$failure; the end of its log: $(tail -n 1 "$SERVER_LOG")"
}

# is_listening tcp|udp PORT. Looks the socket up instead of connecting: some servers serve a single client, and that would
# be this connection.
is_listening() {
  [[ -n $(ss -Hln "--$1" "sport = :$2") ]]
}

# start_server tcp|udp PORT COMMAND…: returns once the server listens.
start_server() {
  local protocol=$1 port=$2
  shift 2
  start_detached "$@"
  await_server "port $port: no server listens on it" is_listening "$protocol" "$port"
}

# activity PID: prints processor ticks plus context switches of all threads, which grow while the process is active.
activity() {
  awk '/ctxt_switches/ {sum += $2} FILENAME ~ /[/]stat$/ {sum += $14 + $15} END {print sum}' \
    "/proc/$1"/task/*/status "/proc/$1/stat" 2>/dev/null
}

# await_idle SECONDS COMMAND…: waits until the number that the command prints has grown and then stayed the same for so
# long, or until the command fails. What nobody has used yet is not idle.
await_idle() {
  local seconds=$1 first before now idle=0
  shift
  first=$("$@") || return 0
  before=$first
  while ((idle < seconds)) && sleep 1 && now=$("$@"); do
    idle=$((now == before && now != first ? idle + 1 : 0))
    before=$now
  done
}

# end_servers_when_idle PORT: ends servers that would wait for more clients for ever, although their stream has to end.
end_servers_when_idle() {
  local pid
  for pid in $(port_holders "$1"); do
    setsid "${IN_OWN_SCOPE[@]}" bash -c "$(declare -f activity await_idle); await_idle 5 activity $pid; kill -INT $pid" \
      </dev/null >/dev/null 2>&1 &
  done
}
