# shellcheck shell=bash
# What the servers have in common: a free port, a life of their own beside the agent, and no return before they listen.

# Long enough for the client's connecting and its own time limit, short enough that no server is left for the next day.
server_life_seconds() {
  printf '%s' "$((10#$SSM_DurationSeconds + 120))"
}

# port_holders PORT: ids of the processes that have any socket of this host on the port.
port_holders() {
  ss -Htuanp "sport = :$1" | { grep -o 'pid=[0-9]*' || true; } | cut -d= -f2 | sort -un
}

# Where every server that start_server starts works, and its children with it: what a process can neither write over, as
# nginx does with its environment, nor lose with its parents.
readonly SERVER_DIRECTORY=$STATE_DIRECTORY/servers

# A cancelled command runs no clean-up of its own: what it left on the port ends here, at the start of the next one.
clear_port() {
  local port=$1 holders pid signal
  holders=$(port_holders "$port")
  # All are looked at before the first is ended: a foreign one's port stays as it is.
  for pid in $holders; do
    # One that has ended meanwhile works nowhere, and holds nothing any more.
    if ! [[ /proc/$pid/cwd -ef $SERVER_DIRECTORY ]] && port_holders "$port" | grep -x "$pid" >/dev/null; then
      fail "port $port: must be free, is held by $(cat "/proc/$pid/comm" 2>/dev/null) (process $pid)"
    fi
  done
  for signal in TERM KILL; do
    for pid in $holders; do
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

# start_server tcp|udp PORT COMMAND…: returns when it listens. A session of its own, and nothing inherited that would make
# the agent wait for it.
start_server() {
  local protocol=$1 port=$2 log=$STATE_DIRECTORY/serve-$SSM_MeasurementId.log server
  shift 2
  mkdir -p "$SERVER_DIRECTORY"
  env --chdir="$SERVER_DIRECTORY" setsid "$@" </dev/null >"$log" 2>&1 &
  server=$!
  for _ in {1..200}; do
    # Looked up, not tried: a connection would be the one client that some servers serve.
    [[ -z $(ss -Hln "--$protocol" "sport = :$port") ]] || return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.05
  done
  fail "port $port: no server listens on it; its last words: $(tail -n 1 "$log")"
}

# activity PID: a number that grows while the process does anything: processor ticks and context switches of its threads.
activity() {
  awk '/ctxt_switches/ {sum += $2} FILENAME ~ /[/]stat$/ {sum += $14 + $15} END {print sum}' \
    "/proc/$1"/task/*/status "/proc/$1/stat" 2>/dev/null
}

# end_when_idle PID: ends a server that has served and then does nothing for five seconds. Waits for as long as it lives.
end_when_idle() {
  local pid=$1 first before now idle=0
  first=$(activity "$pid") || return 0
  before=$first
  while sleep 1 && now=$(activity "$pid"); do
    idle=$((now == before && now != first ? idle + 1 : 0))
    before=$now
    if ((idle >= 5)); then
      kill -INT "$pid"
      return
    fi
  done
}

# end_servers_when_idle PORT: for servers that would wait for further clients for ever, while somebody waits for the end of
# their stream.
end_servers_when_idle() {
  local pid
  for pid in $(port_holders "$1"); do
    setsid "${outside_agent_cgroup[@]}" bash -c "$(declare -f activity end_when_idle); end_when_idle $pid" \
      </dev/null >/dev/null 2>&1 &
  done
}
