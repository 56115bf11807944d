/** What sockperf's own command line says of its output: the text tells neither ping-pong nor under-load. */
import type { SockperfContext, SockperfMode } from '../parsers/sockperf/sockperf-context';

const SUBCOMMANDS: Readonly<Record<string, SockperfMode>> = {
  'ping-pong': 'ping_pong',
  pp: 'ping_pong',
  'under-load': 'under_load',
  ul: 'under_load',
  throughput: 'throughput',
  tp: 'throughput',
  server: 'server',
  sr: 'server',
};

export function contextOfCommand(command: readonly string[]): SockperfContext {
  // `timeout` and `stdbuf` stand before it.
  const program = command.findIndex((argument) => /(?:^|\/)sockperf$/.test(argument));
  if (program === -1) return {};
  const mode = SUBCOMMANDS[command[program + 1] ?? ''];
  return { ...(mode !== undefined && { mode }), isFullRoundTrip: command.includes('--full-rtt') };
}
