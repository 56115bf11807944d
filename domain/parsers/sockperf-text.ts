/**
 * sockperf's text, 2.5 to 3.10. It prints half the round trip unless it was started with `--full-rtt`; what comes out of
 * here is always the whole.
 */
import type { RttQuantiles } from '../measurement/measurement';
import { withoutAbsent } from './iperf3-series';
import { MAX_LINE_LENGTH, plainLine } from './iperf3-text-line';
import type { SockperfMode, SockperfOutput } from './tool-output';

const PERCENTILE_FIELDS: readonly (readonly [percent: number, field: keyof RttQuantiles])[] = [
  [25, 'p25'],
  [50, 'p50'],
  [75, 'p75'],
  [90, 'p90'],
  [95, 'p95'],
  [99, 'p99'],
  [99.5, 'p99_5'],
  [99.9, 'p99_9'],
  [99.99, 'p99_99'],
  [99.999, 'p99_999'],
];

export function parseSockperfText(text: string): SockperfOutput {
  const lines = text
    .split('\n')
    .map(plainLine)
    .filter((line) => line.length <= MAX_LINE_LENGTH);
  const runs = splitRuns(lines);
  const outputs = runs.map(parseRun);
  const measured = outputs.findLast((output) => output.observations !== undefined) ?? outputs.at(-1)!;
  if (runs.length === 1) return measured;
  const warning = `the file holds ${runs.length} tests; the last one that measured something is analysed`;
  return { ...measured, warnings: [warning, ...measured.warnings] };
}

/** Each run opens with its version; what stands above the first belongs to it. */
function splitRuns(lines: readonly string[]): string[][] {
  const runs: string[][] = [[]];
  let hasVersion = false;
  for (const line of lines) {
    if (line.includes('== version #')) {
      if (hasVersion) runs.push([]);
      hasVersion = true;
    }
    runs.at(-1)!.push(line);
  }
  return runs;
}

interface Averages {
  readonly mean: number;
  readonly stdDev?: number;
  /** sockperf names what it prints `avg-rtt` from 3.4 on when it is the whole round trip. */
  readonly isNamedRoundTrip: boolean;
}

function parseRun(lines: readonly string[]): SockperfOutput {
  const text = lines.join('\n');
  const mode = modeOf(text);
  const averages = averagesOf(text);
  const durationSeconds = numberOf(text, /\[Valid Duration\] RunTime= *([\d.]+) sec/);
  const received = numberOf(text, /\[Valid Duration\].*?ReceivedMessages= *(\d+)/);
  const observations = numberOf(text, /Total (\d+) observations/);
  const errors = lines.flatMap(
    (line) => /sockperf: (?:ERROR|No messages were received).*$/.exec(line)?.[0].trim() ?? [],
  );
  const warnings: string[] = [];
  const factor = averages === undefined ? 2 : roundTripFactor(averages, durationSeconds, received, warnings);
  const rttMicros = averages === undefined ? undefined : rttOf(text, averages, factor);
  if (rttMicros !== undefined && observations !== undefined) warnings.push(...unsupported(rttMicros, observations));
  const sentMebibytes = mode === 'throughput' ? numberOf(text, /BandWidth is ([\d.]+) MBps/) : undefined;
  // Its MBps is MiB/s, and the Mbps it prints beside is eight times that.
  const sentBitsPerSecond = sentMebibytes === undefined ? undefined : sentMebibytes * 2 ** 20 * 8;
  if (sentBitsPerSecond !== undefined) {
    warnings.push(
      `sockperf sent ${(sentBitsPerSecond / 1e9).toFixed(3)} Gbps on average; it prints no series to judge`,
    );
  }
  const reason = errors.at(-1) ?? missingPart(mode, text, { rttMicros, observations, sentBitsPerSecond });
  return withoutAbsent({
    kind: 'latency' as const,
    tool: 'sockperf' as const,
    mode,
    toolVersion: /== version #(\d+(?:\.\d+)*)/.exec(text)?.[1],
    protocol: protocolOf(text),
    durationSeconds: durationSeconds ?? numberOf(text, /\[Total Run\] RunTime= *([\d.]+) sec/),
    rttMicros,
    observations,
    droppedMessages: numberOf(text, /# dropped messages = (\d+)/),
    duplicatedMessages: numberOf(text, /# duplicated messages = (\d+)/),
    outOfOrderMessages: numberOf(text, /# out-of-order messages = (\d+)/),
    sentBitsPerSecond,
    complete: reason === undefined,
    incompleteReason: reason,
    errors,
    warnings,
  });
}

function modeOf(text: string): SockperfMode {
  if (text.includes('[SERVER] listen on')) return 'server';
  return /Summary: (?:Message Rate|BandWidth) is /.test(text) ? 'throughput' : 'round_trip';
}

function protocolOf(text: string): 'tcp' | 'udp' | undefined {
  const name = /PORT = +\d+ # (TCP|UDP)/.exec(text)?.[1];
  return name === undefined ? undefined : name === 'TCP' ? 'tcp' : 'udp';
}

function averagesOf(text: string): Averages | undefined {
  const match = /avg-(?<name>lat|latency|rtt)= *(?<mean>[\d.]+)(?: \(std-dev= *(?<stdDev>[\d.]+))?/.exec(text)?.groups;
  if (match === undefined) return undefined;
  const mean = Number(match.mean);
  const stdDev = Number(match.stdDev);
  if (!Number.isFinite(mean)) return undefined;
  return { mean, ...(Number.isFinite(stdDev) && { stdDev }), isNamedRoundTrip: match.name === 'rtt' };
}

/** How near the time per message must come to the printed average to be called the same. */
const SAME_RATIO = 0.02;

/**
 * Ping-pong at full rate sends the next message when the reply is in, so the time per message is the round trip. Versions
 * that know `--full-rtt` but still print `avg-latency` are found by that.
 */
function roundTripFactor(
  averages: Averages,
  durationSeconds: number | undefined,
  received: number | undefined,
  warnings: string[],
): 1 | 2 {
  if (averages.isNamedRoundTrip) return 1;
  if (durationSeconds === undefined || received === undefined || received === 0) return 2;
  const microsPerMessage = (durationSeconds * 1e6) / received;
  if (Math.abs(microsPerMessage / averages.mean - 1) > SAME_RATIO) return 2;
  warnings.push('the printed average equals the time per message: taken as full round trips (--full-rtt)');
  return 1;
}

function rttOf(text: string, averages: Averages, factor: 1 | 2): RttQuantiles | undefined {
  const max = numberOf(text, /<?MAX>? observation = *([\d.]+)/);
  const min = numberOf(text, /<?MIN>? observation = *([\d.]+)/);
  if (max === undefined || min === undefined) return undefined;
  const printed = new Map<number, number>();
  for (const [, percent, value] of text.matchAll(/percentile +([\d.]+) *= *([\d.]+)/g)) {
    if (Number.isFinite(Number(value))) printed.set(Number(percent), scaled(Number(value), factor));
  }
  const percentiles = PERCENTILE_FIELDS.map(([percent, field]) => [field, printed.get(percent)] as const);
  return withoutAbsent({
    mean: scaled(averages.mean, factor),
    stdDev: averages.stdDev === undefined ? undefined : scaled(averages.stdDev, factor),
    min: scaled(min, factor),
    ...(Object.fromEntries(percentiles) as Partial<RttQuantiles>),
    max: scaled(max, factor),
  });
}

/** sockperf prints nanoseconds as three decimals; doubling must not add binary dust. */
function scaled(micros: number, factor: 1 | 2): number {
  return Math.round(micros * factor * 1000) / 1000;
}

/** A p99.99 of fewer than 10,000 observations is the maximum under another name. */
function unsupported(rttMicros: RttQuantiles, observations: number): string[] {
  const needed = [
    ['p99.9', rttMicros.p99_9, 1_000],
    ['p99.99', rttMicros.p99_99, 10_000],
    ['p99.999', rttMicros.p99_999, 100_000],
  ] as const;
  const names = needed.filter(([, value, count]) => value !== undefined && observations < count).map(([name]) => name);
  return names.length === 0 ? [] : [`${names.join(', ')}: not supported by ${observations} observations`];
}

function missingPart(
  mode: SockperfMode,
  text: string,
  found: Pick<SockperfOutput, 'rttMicros' | 'observations' | 'sentBitsPerSecond'>,
): string | undefined {
  if (mode === 'server') return 'a sockperf server prints no measurement';
  if (mode === 'throughput') return found.sentBitsPerSecond === undefined ? 'no final summary' : undefined;
  if (found.rttMicros === undefined || !found.observations) return 'no final statistics';
  const ends = [...text.matchAll(/Test end \(([^)]*)\)/g)].map(([, how]) => how!);
  const isCutOff = ends.length > 0 && !ends.some((how) => /by timer|reached packet number/.test(how));
  return isCutOff ? `Test end (${ends.at(-1)!})` : undefined;
}

function numberOf(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text)?.[1];
  const value = digits === undefined ? NaN : Number(digits);
  return Number.isFinite(value) ? value : undefined;
}
