/**
 * sockperf's statistics of round trips, as ping-pong and under-load print them: always full round trips, although
 * sockperf prints half of them unless it was started with `--full-rtt`.
 */
import { PERCENTILE_FIELDS, PERCENTILES } from '../../model/percentiles';
import type { RttQuantiles } from '../../model/statistics';
import { groupsIn, numberIn } from '../text-lines';
import type { LatencyOutput } from '../tool-output';
import type { SockperfContext } from './command';

export type RoundTrips = Pick<
  LatencyOutput,
  'durationSeconds' | 'rttMicros' | 'observations' | 'transactionsPerSecond' | 'warnings'
>;

type Averages = NonNullable<ReturnType<typeof averagesOf>>;

export function parseRoundTrips(text: string, context: SockperfContext): RoundTrips {
  const valid = /\[Valid Duration\].*/.exec(text)?.[0] ?? '';
  const run: ValidRun = {
    durationSeconds: numberIn(valid, /RunTime *= *([\d.]+)/),
    sent: numberIn(valid, /SentMessages *= *(\d+)/),
    received: numberIn(valid, /ReceivedMessages *= *(\d+)/),
  };
  const averages = averagesOf(text);
  const warnings: string[] = [];
  const mode = context.mode ?? (isAnsweredInPart(run) ? 'under_load' : undefined);
  const factor = averages === undefined ? 2 : roundTripFactor(averages, run, { ...context, mode }, warnings);
  const rttMicros = averages === undefined ? undefined : quantilesOf(text, averages, factor);
  const pace = rttMicros === undefined || mode === 'under_load' ? undefined : paceOf(run, rttMicros.mean);
  if (pace !== undefined && mode === 'ping_pong' && !pace.isOfRoundTrips) {
    warnings.push(
      `a message every ${pace.microsPerMessage.toFixed(1)} us is not one for each round trip: some waited or were lost`,
    );
  }
  return {
    durationSeconds: run.durationSeconds ?? numberIn(text, /\[Total Run\] RunTime *= *([\d.]+)/),
    rttMicros,
    observations: numberIn(text, /Total +(\d+) +observations/) ?? (rttMicros === undefined ? undefined : run.received),
    transactionsPerSecond:
      pace !== undefined && (mode === 'ping_pong' || pace.isOfRoundTrips) ? 1e6 / pace.microsPerMessage : undefined,
    warnings,
  };
}

type ValidRun = Partial<Record<'durationSeconds' | 'sent' | 'received', number>>;

/** Under load, sockperf has one message in a hundred answered by default; ping-pong waits for every reply. */
function isAnsweredInPart({ sent, received }: ValidRun): boolean {
  return sent !== undefined && received !== undefined && sent > 2 * received + 2;
}

function averagesOf(text: string) {
  const named = groupsIn(text, /avg-(?<name>[a-z-]{1,20}) *= *(?<mean>[\d.]+)(?<rest>(?:[^\d.].*)?)/i, [
    'name',
    'mean',
    'rest',
  ]);
  const found = named ?? groupsIn(text, /Summary: (?<name>Latency|Round trip) is +(?<mean>[\d.]+)/i, ['name', 'mean']);
  const mean = Number(found?.mean);
  if (found === undefined || !Number.isFinite(mean)) return undefined;
  const stdDev = numberIn(named?.rest ?? '', /std-dev *= *([\d.]+)/);
  // From 3.4 on, sockperf calls the average `avg-rtt` when it is that of full round trips.
  return { mean, stdDev, isNamedRoundTrip: /rtt|round/i.test(found.name) };
}

/** The time per message counts as the round trip up to this difference. */
const SAME_RATIO = 0.02;
/** sockperf prints its run time to the millisecond. */
const RUN_TIME_ROUNDING_SECONDS = 0.0005;

/**
 * Ping-pong at full rate sends the next message when the reply has arrived, so the time per message is the round trip.
 * That reveals `--full-rtt` in versions that have the option but still print `avg-latency`. Under load, the time per
 * message follows from the offered rate and reveals nothing.
 */
function roundTripFactor(averages: Averages, run: ValidRun, context: SockperfContext, warnings: string[]): 1 | 2 {
  if (averages.isNamedRoundTrip) return 1;
  if (context.isFullRoundTrip !== undefined) return context.isFullRoundTrip ? 1 : 2;
  if (context.mode === 'under_load' || paceOf(run, averages.mean)?.isOfRoundTrips !== true) return 2;
  warnings.push('the printed average equals the time per message: taken as full round trips (--full-rtt)');
  return 1;
}

function paceOf({ durationSeconds, received }: ValidRun, roundTripMicros: number) {
  if (!durationSeconds || !received) return undefined;
  const microsPerMessage = (durationSeconds * 1e6) / received;
  const tolerance = SAME_RATIO + RUN_TIME_ROUNDING_SECONDS / durationSeconds;
  return { microsPerMessage, isOfRoundTrips: Math.abs(microsPerMessage / roundTripMicros - 1) <= tolerance };
}

function quantilesOf(text: string, averages: Averages, factor: 1 | 2): RttQuantiles | undefined {
  const max = numberIn(text, /<?MAX>? observation *= *([\d.]+)/i);
  const min = numberIn(text, /<?MIN>? observation *= *([\d.]+)/i);
  if (max === undefined || min === undefined) return undefined;
  const printed = new Map<number, number>();
  for (const [, percent, value] of text.matchAll(/percentile +([\d.]+) *(?:% *)?= *([\d.]+)/gi)) {
    if (Number.isFinite(Number(value))) printed.set(Number(percent), scaled(Number(value), factor));
  }
  const percentiles = PERCENTILE_FIELDS.map((field) => [field, printed.get(PERCENTILES[field])]);
  return {
    mean: scaled(averages.mean, factor),
    stdDev: averages.stdDev === undefined ? undefined : scaled(averages.stdDev, factor),
    min: scaled(min, factor),
    ...(Object.fromEntries(percentiles) as Partial<RttQuantiles>),
    max: scaled(max, factor),
  };
}

/** sockperf prints three decimals, which are nanoseconds; rounding removes what doubling adds to them. */
function scaled(micros: number, factor: 1 | 2): number {
  return Math.round(micros * factor * 1000) / 1000;
}
