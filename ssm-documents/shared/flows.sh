# shellcheck shell=bash
# The ports of a measurement over several flows, and the list of them that a tool reads.

# flow_ports: prints the port of each flow, a line each: the measurement's own, and then further ones.
flow_ports() {
  local flow
  printf '%s\n' "$SSM_Port"
  for ((flow = 1; flow < 10#$SSM_ParallelStreams; flow += 1)); do
    printf '%s\n' "$((10#$SSM_FirstFlowPort + flow - 1))"
  done
}

# flow_list ADDRESS FILE: writes a line for each flow: T:ADDRESS:PORT for TCP, U:… for UDP.
flow_list() {
  local address=$1 file=$2 kind=U
  if [[ $SSM_Protocol == tcp ]]; then
    kind=T
  fi
  flow_ports | sed "s/^/$kind:$address:/" >"$file"
}
