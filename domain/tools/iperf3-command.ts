/** What iperf3's own command line says of its output: a chunk in the middle of a stream says it nowhere else. */
import type { Iperf3Context } from '../parsers/iperf3/iperf3-text';

export function contextOfCommand(command: readonly string[]): Iperf3Context {
  // `timeout` and `stdbuf` stand before it, with options of their own.
  const options = command.slice(command.findIndex((argument) => /(?:^|\/)iperf3$/.test(argument)) + 1);
  const has = (...flags: string[]) => flags.some((flag) => options.includes(flag));
  const valueOf = (...flags: string[]) => {
    const index = options.findIndex((argument) => flags.includes(argument));
    return index === -1 ? undefined : options[index + 1];
  };
  const durationSeconds = Number(valueOf('-t', '--time'));
  const isServer = has('-s', '--server');
  return {
    role: isServer ? 'server' : 'client',
    // A server learns protocol and direction from its client; its command line is silent on both.
    ...(!isServer && {
      protocol: has('-u', '--udp') ? 'udp' : 'tcp',
      reverse: has('-R', '--reverse'),
      bidirectional: has('--bidir'),
      ...(durationSeconds > 0 && { durationSeconds }),
    }),
  };
}
