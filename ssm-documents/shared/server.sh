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

# A cancelled command runs no clean-up of its own: what it left on the port ends here, at the start of the next one.
clear_port() {
  local port=$1 name pid
  for pid in $(port_holders "$port"); do
    name=$(cat "/proc/$pid/comm" 2>/dev/null) || continue
    case $name in
      iperf3 | sockperf | nginx) kill -TERM "$pid" 2>/dev/null || true ;;
      *) fail "port $port: must be free, is held by $name (process $pid)" ;;
    esac
  done
  for _ in {1..40}; do
    [[ -n $(port_holders "$port") ]] || return 0
    sleep 0.05
  done
  for pid in $(port_holders "$port"); do
    kill -KILL "$pid" 2>/dev/null || true
  done
  sleep 0.1
}

# start_server tcp|udp PORT COMMAND…: returns when it listens. A session of its own, and nothing inherited that would make
# the agent wait for it.
start_server() {
  local protocol=$1 port=$2 log=$STATE_DIRECTORY/serve-$SSM_MeasurementId.log server
  shift 2
  setsid "$@" </dev/null >"$log" 2>&1 &
  server=$!
  for _ in {1..200}; do
    # Looked up, not tried: a connection would be the one client that iperf3 -1 serves.
    [[ -z $(ss -Hln "--$protocol" "sport = :$port") ]] || return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.05
  done
  fail "port $port: no server listens on it; its last words: $(tail -n 1 "$log")"
}
