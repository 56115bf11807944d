/** Parses sockperf's text, 2.5 to 3.10, in any of its modes. */
import { PERCENTILE_FIELDS, PERCENTILES } from '../../model/percentiles';
import type { RttQuantiles } from '../../model/statistics';
import { latencyWarnings } from '../../parsers/latency-warnings';
import { lastRun } from '../../parsers/runs-of-file';
import { groupsIn, isRate, numberIn, plainLines } from '../../parsers/text-lines';
import type { LatencyOutput, ThroughputOutput } from '../../parsers/tool-output';
import { anyLine, type OutputForm } from '../output-forms';

const COLOUR = String.raw`(?:\u001b\[[0-9;]*m)?`;

/** Recognised by `sockperf: ` and one of its messages, except in lines of the latency probe, which quotes sockperf. */
export const SOCKPERF_FORM: OutputForm = {
  name: 'sockperf',
  line: anyLine(
    String.raw`^(?!probe: )[^\n",;<]{0,40}sockperf(?:\[CLIENT\] |: *${COLOUR}(?:=|-+>|#|\[(?:Total|Valid|SERVER|tid)|Summary: |Total |Test |Starting test|Warmup stage|ERROR|No |NOTE: |RunTime|cleanup))`,
  ),
  parse: parseSockperfText,
};

/** The mode by the command line, because the text does not tell ping-pong from under-load. */
type SockperfMode = 'ping_pong' | 'under_load' | 'throughput' | 'server';

/** Facts about an output from outside its text. */
export interface SockperfContext {
  readonly mode?: SockperfMode;
  /** Whether `--full-rtt` was given; absent if unknown. */
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

/** Parses text without its command line: the text itself shows whether it is throughput. */
export function parseSockperfText(text: string): LatencyOutput | ThroughputOutput {
  const isThroughput = (run: string) => /Summary: (?:Message Rate|BandWidth) is /.test(run);
  return parseLastRun(text, (run) => (isThroughput(run) ? throughputOutput(run) : latencyOutput(run, {})));
}

export function parseSockperfRoundTrips(text: string, context: SockperfContext): LatencyOutput {
  return parseLastRun(text, (run) => latencyOutput(run, context));
}

/** Parses the sender's text of mode throughput. */
export function parseSockperfThroughput(text: string): ThroughputOutput {
  return parseLastRun(text, throughputOutput);
}

function parseLastRun<Output extends LatencyOutput | ThroughputOutput>(text: string, parse: (run: string) => Output) {
  return lastRun(
    plainLines(text),
    // The first line of a run has sockperf's version.
    (line) => line.includes('== version #'),
    (lines) => parse(lines.join('\n')),
    (output) => (output.kind === 'latency' ? output.observations !== undefined : output.summaries.length > 0),
  );
}

const PROTOCOLS = { TCP: 'tcp', UDP: 'udp' } as const;

function commonOf(text: string) {
  const protocol = /PORT *= *\d+ *# *(TCP|UDP)/.exec(text)?.[1] as 'TCP' | 'UDP' | undefined;
  const errors = text.matchAll(/(?:sockperf: *)?(?:ERROR|No messages were received|No valid observations found).*$/gm);
  return {
    tool: 'sockperf',
    toolVersion: /== version #(\d+(?:\.\d+)*)/.exec(text)?.[1],
    protocol: protocol && PROTOCOLS[protocol],
    errors: [...errors].map(([words]) => words.trim()),
  };
}

function latencyOutput(text: string, context: SockperfContext): LatencyOutput {
  const common = commonOf(text);
  const roundTrips = parseRoundTrips(text, context);
  const incompleteReason = common.errors.at(-1) ?? missingPart(text, roundTrips);
  const outOfOrderMessages = numberIn(text, /out-of-order messages *= *(\d+)/);
  return {
    kind: 'latency',
    ...common,
    ...roundTrips,
    droppedMessages: numberIn(text, /dropped messages *= *(\d+)/),
    duplicatedMessages: numberIn(text, /duplicated messages *= *(\d+)/),
    outOfOrderMessages,
    complete: incompleteReason === undefined,
    incompleteReason,
    warnings: [
      ...roundTrips.warnings,
      ...overtakenWarnings(text, outOfOrderMessages, roundTrips),
      ...latencyWarnings(roundTrips),
    ],
  };
}

/** A smaller share of overtaken round trips changes no percentile that is shown. */
const FEW_OVERTAKEN = 0.001;

/** sockperf numbers the messages of all flows together, and omits a round trip that a later one overtook. */
function overtakenWarnings(text: string, outOfOrder = 0, { observations = 0 }: RoundTrips): string[] {
  const flowCount = text.match(/^\[ *\d+\] IP = .*PORT = /gm)?.length ?? 1;
  if (flowCount < 2 || outOfOrder <= FEW_OVERTAKEN * (observations + outOfOrder)) return [];
  const share = (100 * outOfOrder) / (observations + outOfOrder);
  return [
    `${outOfOrder} round trips (${share.toFixed(1)} %) were overtaken by those of other flows, and sockperf leaves them out: ` +
      'the percentiles are without some of the slowest',
  ];
}

function missingPart(text: string, { rttMicros, observations }: RoundTrips): string | undefined {
  if (text.includes('[SERVER] listen on')) return 'a sockperf server prints no measurement';
  if (rttMicros === undefined || !observations) return 'no final statistics';
  return cutOff(text);
}

function cutOff(text: string): string | undefined {
  const ends = text.match(/Test end \([^)\n]{0,100}\)/g) ?? [];
  return ends.some((end) => /by timer|reached packet number/.test(end)) ? undefined : ends.at(-1);
}

/** Returns the average that the sender passed to its kernel: sockperf prints no series and no arrivals. */
function throughputOutput(text: string): ThroughputOutput {
  const common = commonOf(text);
  const bitsPerSecond = sentBitsPerSecond(text);
  const durationSeconds = numberIn(text, /messages sent in ([\d.]+) sec/);
  const incompleteReason = common.errors.at(-1) ?? (bitsPerSecond === undefined ? 'no final summary' : cutOff(text));
  return {
    kind: 'throughput',
    ...common,
    role: 'client',
    reverse: false,
    bidirectional: false,
    durationSeconds,
    intervals: [],
    summaries:
      bitsPerSecond === undefined || durationSeconds === undefined
        ? []
        : [{ direction: 'forward', side: 'sender', startSeconds: 0, endSeconds: durationSeconds, bitsPerSecond }],
    complete: incompleteReason === undefined,
    incompleteReason,
    warnings:
      bitsPerSecond === undefined
        ? []
        : [`sockperf sent ${(bitsPerSecond / 1e9).toFixed(3)} Gbps on average; it prints no series to judge`],
  };
}

/**
 * sockperf's MBps means MiB/s, and the Mbps beside it is eight times that. With `--giga-size`, the figure in GBps is
 * that in MBps divided by a thousand; with `--increase_output_precision`, it prints GBps for MiB/s, with nine decimals.
 */
function sentBitsPerSecond(text: string): number | undefined {
  const [, digits, unit] = /BandWidth is ([\d.]+) ([MG])Bps/i.exec(text) ?? [];
  const value = Number(digits);
  if (digits === undefined) return undefined;
  const isThousandfold = unit === 'G' && !/\.\d{9}$/.test(digits);
  const bitsPerSecond = value * 2 ** 20 * 8 * (isThousandfold ? 1000 : 1);
  return isRate(bitsPerSecond) ? bitsPerSecond : undefined;
}

type RoundTrips = Pick<
  LatencyOutput,
  'durationSeconds' | 'rttMicros' | 'observations' | 'transactionsPerSecond' | 'warnings'
>;

type Averages = NonNullable<ReturnType<typeof averagesOf>>;

/** Parses ping-pong and under-load. Without `--full-rtt`, sockperf prints half round trips, which are doubled here. */
function parseRoundTrips(text: string, context: SockperfContext): RoundTrips {
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

/** Under load, sockperf by default has one message in a hundred answered; ping-pong waits for every reply. */
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
  // From 3.4 on, sockperf names the average `avg-rtt` if it is of full round trips.
  return { mean, stdDev, isNamedRoundTrip: /rtt|round/i.test(found.name) };
}

/** The time per message counts as equal to the round trip up to this share. */
const SAME_RATIO = 0.02;
/** sockperf prints its run time to the millisecond. */
const RUN_TIME_ROUNDING_SECONDS = 0.0005;

/**
 * Decides whether sockperf printed full round trips (1) or half of them (2). Ping-pong at full rate sends the next
 * message when the reply has arrived, so the time per message is the round trip. This reveals `--full-rtt` in versions
 * that have the option but still print `avg-latency`. Under load, the time per message follows from the offered rate
 * and reveals nothing.
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
