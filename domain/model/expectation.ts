/**
 * What a plan may expect: which figures, of which measurements, within which limits. The plan's schema, its checks, the
 * forecast and the judgement at the end of a run (`report/expectations.ts`) read this table.
 */
import { comparedBits, comparedRate, formatPacketRate, formatSeconds, threeDigits } from '../text/format';
import { formatPlanPath } from '../text/plan-path';
import type { MetricKind } from './settings';

/**
 * Which measurements have a figure: all of a kind, or those whose tool lists it (`ToolModule.ownFigures`). `run` is a
 * figure of the whole run, so an expectation of it can't select a pair or measurement.
 */
type FigureOwner = MetricKind | 'tool' | 'run';

interface ExpectableFigure {
  readonly name: string;
  readonly owner: FigureOwner;
  /** The unit of its limits, for the schema's description. */
  readonly unit: string;
  /** Returns the value with its unit, in ASCII, because the lines end up in the output of an execution. */
  readonly inWords: (value: number) => string;
}

function figures<const Names extends Readonly<Record<string, string>>>(
  owner: FigureOwner,
  unit: string,
  inWords: ExpectableFigure['inWords'],
  names: Names,
): Readonly<Record<keyof Names & string, ExpectableFigure>> {
  const entries = Object.entries(names).map(([key, name]) => [key, { name, owner, unit, inWords }] as const);
  return Object.fromEntries(entries) as Record<keyof Names & string, ExpectableFigure>;
}

const count = (value: number) => (Number.isInteger(value) ? String(value) : threeDigits(value));

/** By the name in a plan, which is the figure's path in `statistics` or `verdict` of `summary.json`, or its column. */
export const EXPECTABLE_FIGURES = {
  ...figures('throughput', 'bits per second', comparedRate, {
    'throughputBitsPerSecond.mean': 'mean throughput',
    'throughputBitsPerSecond.p5': '5th percentile of the throughput',
    'throughputBitsPerSecond.p50': 'median throughput',
    'throughputBitsPerSecond.p95': '95th percentile of the throughput',
    burstBitsPerSecond: 'burst',
    baselineBitsPerSecond: 'baseline',
  }),
  ...figures('throughput', 'seconds', formatSeconds, {
    onsetSeconds: 'throttle onset',
    refillSeconds: 'refill of the credits',
  }),
  ...figures('throughput', 'bits', comparedBits, { bucketBits: 'bucket' }),
  ...figures('throughput', 'seconds', formatSeconds, {
    held1GbitSeconds: 'hold time of 1 Gbit/s',
    held2GbitSeconds: 'hold time of 2 Gbit/s',
    held5GbitSeconds: 'hold time of 5 Gbit/s',
    held10GbitSeconds: 'hold time of 10 Gbit/s',
  }),
  ...figures('packets', 'packets per second', formatPacketRate, {
    'packetsPerSecond.mean': 'mean packet rate',
    'packetsPerSecond.p5': '5th percentile of the packet rate',
    'packetsPerSecond.p50': 'median packet rate',
    'packetsPerSecond.p95': '95th percentile of the packet rate',
    burstPacketsPerSecond: 'burst of packets',
    baselinePacketsPerSecond: 'packet rate carried to the end',
  }),
  ...figures('tool', 'segments', count, { retransmits: 'retransmits' }),
  ...figures('tool', 'percent', (value) => `${threeDigits(value)} %`, { lossPercent: 'lost datagrams' }),
  ...figures('tool', 'round trips per second', (value) => `${count(Math.round(value))} per second`, {
    transactionsPerSecond: 'transactions',
  }),
  ...figures('latency', 'microseconds', (value) => `${value < 100 ? value.toFixed(1) : value.toFixed(0)} us`, {
    'rttMicros.mean': 'mean round trip',
    'rttMicros.p50': 'median round trip',
    'rttMicros.p90': 'p90 of the round trips',
    'rttMicros.p99': 'p99 of the round trips',
    'rttMicros.p99.9': 'p99.9 of the round trips',
    'rttMicros.p99.99': 'p99.99 of the round trips',
  }),
  ...figures('conditions', 'bytes', (value) => `${count(value)} bytes`, { pathMtuBytes: 'path MTU' }),
  ...figures('run', 'USD', (value) => `${value.toFixed(2)} USD`, { costUsd: 'price of the run' }),
} satisfies Readonly<Record<string, ExpectableFigure>>;

export type ExpectableFigureName = keyof typeof EXPECTABLE_FIGURES;
export const EXPECTABLE_FIGURE_NAMES = Object.keys(EXPECTABLE_FIGURES) as ExpectableFigureName[];

/** The figures that a tool has besides those of its kind. */
export type ToolFigureName = 'retransmits' | 'lossPercent' | 'transactionsPerSecond';
export type RunFigureName = 'costUsd';
export type MeasuredFigureName = Exclude<ExpectableFigureName, RunFigureName>;

export const figureNamesOf = (owner: FigureOwner) =>
  EXPECTABLE_FIGURE_NAMES.filter((name) => EXPECTABLE_FIGURES[name].owner === owner);

/** The limits of a figure: on itself, or on its change against the run that the plan's `compareTo` names. */
export const LIMITS = {
  min: { isLower: true, isRelative: false },
  max: { isLower: false, isRelative: false },
  maxPercentBelow: { isLower: true, isRelative: true },
  maxPercentAbove: { isLower: false, isRelative: true },
} as const;
export type LimitName = keyof typeof LIMITS;

export type ExpectedLimits = Readonly<Partial<Record<LimitName, number>>>;

/** Selects the measurements of an entry of `plan.expect`; without any field, all that have the figure. */
export interface ExpectationSubject {
  /** The instance type of at least one host of the pair. */
  readonly type?: string;
  /** Index into `plan.pairs`. */
  readonly pair?: number;
  /** Index into `plan.measurements`. */
  readonly measurement?: number;
}

export type Expectation = ExpectationSubject & Readonly<Partial<Record<ExpectableFigureName, ExpectedLimits>>>;

/** The part of a plan that has its expectations. */
export interface PlanExpectations {
  readonly expect?: readonly Expectation[];
  readonly failOn?: 'expectations';
}

/** One limit of one figure of one entry of `plan.expect`. */
export interface ExpectedLimit {
  /** Where the limit stands in the plan: `plan.expect[0].baselineBitsPerSecond.min`. */
  readonly path: string;
  readonly subject: ExpectationSubject;
  readonly figure: ExpectableFigureName;
  readonly limit: LimitName;
  /** The limit in the figure's unit, or in percent for a relative limit. */
  readonly value: number;
}

/** Returns the limits in the order of the plan's entries, and within each in that of `EXPECTABLE_FIGURES`. */
export function expectedLimits(expect: readonly Expectation[]): ExpectedLimit[] {
  return expect.flatMap((expectation, index) =>
    EXPECTABLE_FIGURE_NAMES.flatMap((figure) =>
      Object.entries(expectation[figure] ?? {}).flatMap(([limit, value]): ExpectedLimit[] => [
        {
          path: formatPlanPath(['expect', index, figure, limit]),
          subject: expectation,
          figure,
          limit: limit as LimitName,
          value,
        },
      ]),
    ),
  );
}

/** A measurement's place in the plan, whether it is planned or was made. */
interface PlacedInPlan {
  readonly planPairIndex: number;
  readonly planMeasurementIndex: number;
  readonly clientType: string;
  readonly serverType: string;
}

export function isOfSubject({ type, pair, measurement }: ExpectationSubject, placed: PlacedInPlan): boolean {
  return (
    (type === undefined || [placed.clientType, placed.serverType].includes(type)) &&
    (pair === undefined || placed.planPairIndex === pair) &&
    (measurement === undefined || placed.planMeasurementIndex === measurement)
  );
}

/** Returns e.g. `at least 1.20 Gbit/s`, or `at most 10 % above the earlier run's`. */
export function limitInWords({ figure, limit, value }: Pick<ExpectedLimit, 'figure' | 'limit' | 'value'>): string {
  const { inWords } = EXPECTABLE_FIGURES[figure];
  return {
    min: `at least ${inWords(value)}`,
    max: `at most ${inWords(value)}`,
    maxPercentBelow: `at most ${value} % below the earlier run's`,
    maxPercentAbove: `at most ${value} % above the earlier run's`,
  }[limit];
}

/** Returns the plan's expectations as the last lines of its forecast. ASCII only; empty without expectations. */
export function expectationsText({ expect, failOn }: PlanExpectations): string {
  if (expect === undefined) return '';
  const lines = expectedLimits(expect).map(
    (expected) =>
      `  ${EXPECTABLE_FIGURES[expected.figure].name}${subjectInWords(expected.subject)}: ${limitInWords(expected)}`,
  );
  const lead = failOn === undefined ? 'The plan expects' : 'The plan expects, or else the execution fails';
  return ['', `${lead}:`, ...lines, ''].join('\n');
}

function subjectInWords({ type, pair, measurement }: ExpectationSubject): string {
  const parts = [
    type ?? [],
    pair === undefined ? [] : `pairs[${pair}]`,
    measurement === undefined ? [] : `measurements[${measurement}]`,
  ].flat();
  return parts.length === 0 ? '' : ` of ${parts.join(', ')}`;
}
