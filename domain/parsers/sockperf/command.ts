/** What sockperf's command line shows about its output: the text names neither ping-pong nor under-load. */
export type SockperfMode = 'ping_pong' | 'under_load' | 'throughput' | 'server';

/** What is known about an output from outside its text. */
export interface SockperfContext {
  readonly mode?: SockperfMode;
  /** Whether `--full-rtt` was given; absent where that is unknown. */
  readonly isFullRoundTrip?: boolean;
}

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
  // `timeout` and `stdbuf` precede sockperf.
  const program = command.findIndex((argument) => /(?:^|\/)sockperf$/.test(argument));
  if (program === -1) return {};
  return { mode: SUBCOMMANDS[command[program + 1] ?? ''], isFullRoundTrip: command.includes('--full-rtt') };
}
