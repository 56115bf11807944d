/** Reads iperf3's command line, which is all that shows the options of a chunk from the middle of a stream. */
import type { Protocol } from '../../model/settings';

/** Facts about an output from outside its text. */
export interface Iperf3Context {
  readonly role?: 'client' | 'server';
  readonly protocol?: Protocol;
  readonly reverse?: boolean;
  readonly bidirectional?: boolean;
  readonly durationSeconds?: number;
  /** Why the test was ended on purpose, if the other host reported that. */
  readonly endedOnPurpose?: string;
}

export function contextOfCommand(command: readonly string[]): Iperf3Context {
  // `timeout` and `stdbuf` precede iperf3, with options of their own.
  const options = command.slice(command.findIndex((argument) => /(?:^|\/)iperf3$/.test(argument)) + 1);
  const has = (...flags: string[]) => flags.some((flag) => options.includes(flag));
  // A server's command line has neither protocol nor direction, because it learns them from its client.
  if (has('-s', '--server')) return { role: 'server' };
  const durationOption = options.findIndex((option) => option === '-t' || option === '--time');
  const durationSeconds = durationOption === -1 ? NaN : Number(options[durationOption + 1]);
  return {
    role: 'client',
    protocol: has('-u', '--udp') ? 'udp' : 'tcp',
    reverse: has('-R', '--reverse'),
    bidirectional: has('--bidir'),
    durationSeconds: durationSeconds > 0 ? durationSeconds : undefined,
  };
}
