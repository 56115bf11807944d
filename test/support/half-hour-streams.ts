/**
 * The raw streams of half an hour of iperf3 with four streams, in which no second is like another: the lines of both ends and
 * the counters of both hosts, read as late as a streamer reads them. They are drawn by lot and stand for the number of
 * bytes that such a measurement leaves, for nothing about EC2.
 */
import type { HostRole } from '../../domain/model/host-role';
import type { CounterLine, RawLine } from '../../domain/model/raw-chunk';
import { seededRandom, type Random } from './random';
import { iperf3Lines, STARTED_AT_SECONDS } from './raw-streams';

export const HALF_HOUR_SECONDS = 1800;
export const HALF_HOUR_STREAMS = 4;
const ONSET_SECONDS = 900;
const BYTES_PER_PACKET = 8_948;

export function halfHourLines(role: HostRole, seed: number): RawLine[] {
  const random = seededRandom(seed + (role === 'client' ? 0 : 1));
  const rates = ratesOf(seededRandom(seed));
  const printed = iperf3Lines(role, rates, HALF_HOUR_STREAMS).map((line) => varied(line, random));
  return [...printed, ...counters(role, rates, random)].sort((one, other) => one.time - other.time);
}

const ratesOf = (random: Random) =>
  Array.from({ length: HALF_HOUR_SECONDS }, (_, second) =>
    second < ONSET_SECONDS ? 9.6e9 * (1 + 0.02 * random.normal()) : 1.24e9 * (1 + 0.04 * random.normal()),
  );

/** Gives each stream a rate, segments sent again and a congestion window of its own; the sums stay as they are. */
function varied(line: RawLine, random: Random): RawLine {
  if (!('line' in line)) return line;
  const ofStream = /^\[ *\d+\] .*Kbits\/sec/.test(line.line) && !/sender|receiver/.test(line.line);
  const text = line.line
    .replace(/(\d+)( Kbits\/sec)/, (_, kilobits: string, unit: string) =>
      ofStream ? `${Math.round(Number(kilobits) * (1 + 0.05 * random.normal()))}${unit}` : `${kilobits}${unit}`,
    )
    .replace(/ 0 ( +)(1\.12)?/, (_, spaces: string, window?: string) => {
      const again = random.chance(0.3) ? random.integer(1, 400) : 0;
      return ` ${again} ${spaces}${window === undefined ? '' : random.uniform(0.2, 4).toFixed(2)}`;
    });
  return { ...line, line: text };
}

function counters(role: HostRole, rates: readonly number[], random: Random): CounterLine[] {
  const [sent, received] = role === 'client' ? ['tx', 'rx'] : ['rx', 'tx'];
  const total: Record<string, number> = {};
  const grow = (name: string, by: number) => (total[name] = (total[name] ?? 0) + by);
  const offset = random.uniform(0, 0.9);
  return [0, ...rates].flatMap((rate, second) => {
    const bytes = Math.round(rate / 8);
    grow(`${sent}_bytes`, bytes);
    grow(`${sent}_packets`, Math.round(bytes / BYTES_PER_PACKET));
    const acknowledgements = random.integer(2_000, 20_000);
    grow(`${received}_bytes`, acknowledgements * 66);
    grow(`${received}_packets`, acknowledgements);
    const beyond = second > ONSET_SECONDS ? random.integer(1_000, 90_000) : 0;
    const ticks = (share: number) => Math.round(100 * share * random.uniform(0.7, 1.3)) / 100;
    const nanoseconds = (most: number) => Math.round(1e9 * random.uniform(0, most)) / 1e9;
    const cpu = {
      user_seconds: grow('user', ticks(0.04)),
      system_seconds: grow('system', ticks(0.4)),
      steal_seconds: grow('steal', random.chance(0.05) ? 0.01 : 0),
      waiting_seconds: grow('waiting', nanoseconds(0.02)),
      pressure_seconds: grow('pressure', nanoseconds(0.03)),
    };
    const [inbound, outbound] = role === 'client' ? [0, beyond] : [beyond, 0];
    const ethtool = {
      bw_in_allowance_exceeded: grow('in', inbound),
      bw_out_allowance_exceeded: grow('out', outbound),
      pps_allowance_exceeded: 0,
      conntrack_allowance_exceeded: 0,
      linklocal_allowance_exceeded: 0,
    };
    const time = STARTED_AT_SECONDS + offset + second + random.uniform(0, 0.0004);
    const micros = (delay: number) => Math.round((time + delay) * 1e6) / 1e6;
    const of = (name: string) => Object.fromEntries(Object.entries(total).filter(([key]) => key.endsWith(name)));
    return [
      { time: micros(0), source: 'interface', counters: { ...of('_bytes'), ...of('_packets') } },
      { time: micros(random.uniform(0.0003, 0.0006)), source: 'cpu', counters: cpu },
      { time: micros(random.uniform(0.002, 0.004)), source: 'ethtool', counters: ethtool },
    ] as const;
  });
}
