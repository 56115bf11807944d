/**
 * The history's digest of one run: how it ended, what it cost, and the values of every figure that it measured. Only
 * the run's summary and plan are read, so that the history can be rebuilt from the result store.
 */
import * as z from 'zod';
import { groupBy } from '../maths/elements';
import type { Interval } from '../maths/interval';
import { smallest } from '../maths/statistics';
import { cellInWords, cellOf } from '../model/cell';
import { isContended } from '../model/contended';
import { CAUSES, isHeldBack, VERDICT_KINDS, verdictWord } from '../model/verdict';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { PlannedRun } from '../model/planned-run';
import type { MeasurementResult } from '../model/result';
import type { ScaledModel } from '../model/scaled-model';
import { resultFromJson, type WithVerdictJson } from '../model/verdict-json';
import { answerDigest, answerOf, type DigestedAnswer } from './answer-digest';
import { FIGURES } from '../tables/figures';
import { isScheduledRun } from '../workflow/identifiers';

/** ISO 8601 in UTC. */
const instant = z.string();

const figureDigest = z
  .strictObject({
    /** Key of one of `FIGURES`. */
    key: z.string(),
    /**
     * One value for each complete repetition with the figure. Displaced repetitions are left out, and so are round
     * trips that an allowance held back and values of hosts that were busy with other work.
     */
    values: z.array(z.number()).readonly(),
    /** The values of hosts that were busy with other work; absent if there are none. */
    contendedValues: z.array(z.number()).min(1).readonly().optional(),
    /** The 95 % interval of a single value, estimated within its own measurement. */
    interval: z.strictObject({ low: z.number(), high: z.number() }).readonly().optional(),
  })
  .readonly();

const bitsPerSecond = z.number().positive().optional();

const cellDigest = z
  .strictObject({
    /** The identity of the cell (`cellOf`), which is the same in every run that measures it. */
    cell: z.string(),
    /** The tool, the settings and the conditions in words. */
    conditions: z.string(),
    clientType: z.string(),
    serverType: z.string(),
    tool: z.string(),
    kind: z.enum(['throughput', 'latency', 'conditions', 'packets']),
    /** The lower published figure of the two hosts; absent where EC2 publishes none. */
    publishedBaselineBitsPerSecond: bitsPerSecond,
    publishedPeakBitsPerSecond: bitsPerSecond,
    /** Present where some repetitions ran on the same pair of hosts. */
    sharesPairs: z.literal(true).optional(),
    /** On how many pairs, where they share pairs; a history of 0.3.0 has none. */
    pairCount: z.int().min(1).optional(),
    /** Of the row of the run's answer that begins with this cell. */
    answer: answerDigest.optional(),
    /** In the order of `FIGURES`; figures that no repetition has are left out. */
    figures: z.array(figureDigest).readonly(),
  })
  .readonly();

const count = z.int().min(0);

const verdictCount = z
  .strictObject({ kind: z.enum(VERDICT_KINDS), cause: z.enum(CAUSES).nullable(), count: z.int().min(1) })
  .readonly();

export const runDigestSchema = z
  .strictObject({
    runId: z.string(),
    planName: z.string(),
    createdAt: instant,
    endedAt: instant,
    /** A dry run is not in the history, because it has no report. */
    outcome: z.enum(['complete', 'incomplete', 'failed']),
    /** Absent for a plan that expects nothing. */
    expectations: z.enum(['met', 'not_met']).optional(),
    /** How many limits have each status; absent for a plan that expects nothing. */
    expectationCounts: z
      .strictObject({ met: count, not_met: count, undecided: count, not_measured: count })
      .readonly()
      .optional(),
    /** The scale of the model of EC2 that was measured; absent on EC2 itself. */
    scaledModel: z
      .strictObject({ name: z.string(), rateDivisor: z.number().positive(), timeDivisor: z.number().positive() })
      .readonly()
      .optional(),
    /** The actual cost; null where it is unknown. */
    costUsd: z.number().nullable(),
    isScheduled: z.boolean(),
    /** Why the run is not complete: the reason of the run or of its first failed pair; null if it is complete. */
    reason: z.string().nullable(),
    completeCount: count,
    measurementCount: count,
    /** How many complete measurements have each verdict, the most frequent first; absent if none has a verdict. */
    verdictCounts: z.array(verdictCount).min(1).readonly().optional(),
    /** In the order of the plan. */
    cells: z.array(cellDigest).readonly(),
  })
  .readonly();

export type RunDigest = z.infer<typeof runDigestSchema>;
export type CellDigest = z.infer<typeof cellDigest>;

/** The part of `summary.json` that a digest reads. */
export interface DigestedSummary extends Pick<RunDigest, 'runId' | 'planName' | 'createdAt' | 'endedAt'> {
  readonly outcome: RunDigest['outcome'] | 'dry_run';
  readonly interruptedReason: string | null;
  /** null or absent where the cost is unknown. */
  readonly costUsd?: number | null;
  readonly scaledModel?: ScaledModel;
  readonly answer?: DigestedAnswer;
  readonly expectations?: {
    readonly outcome: 'met' | 'not_met';
    readonly judged: readonly { readonly status: keyof NonNullable<RunDigest['expectationCounts']> }[];
  };
  readonly pairs: readonly { readonly pairId: string; readonly status: string; readonly reason: string | null }[];
  readonly measurements: readonly WithVerdictJson<SummarisedMeasurement>[];
}

/** The part of a result that is in the summary. A test checks that figures are read from nothing else. */
type SummarisedMeasurement = Omit<
  MeasurementResult,
  'schema' | 'runId' | 'planName' | 'day' | 'client' | 'server' | 'publishedClient' | 'publishedServer' | 'reason'
>;

/** The part of the plan that a digest reads: the facts about its instance types. */
export type DigestedPlan = Pick<PlannedRun, 'instanceTypes'>;

/**
 * @param plan absent for a run whose plan was rejected
 * @throws if the summary does not have the fields and forms that a digest needs
 */
export function runDigest(summary: DigestedSummary, plan: DigestedPlan | undefined): RunDigest {
  // The digest is checked here because a history with an invalid digest could not be read again.
  const { data, error } = runDigestSchema.safeParse(digestOf(summary, plan));
  if (data !== undefined) return data;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  throw new Error(`${path.join('.')}: ${message}`);
}

function digestOf(summary: DigestedSummary, plan: DigestedPlan | undefined): RunDigest {
  const { runId, planName, createdAt, endedAt, outcome } = summary;
  const { expectations, scaledModel, costUsd = null, measurements } = summary;
  if (outcome === 'dry_run') throw new Error(`run ${runId}: must have measured, as it has a report; it was a dry run`);
  const complete = measurements.filter(({ status }) => status === 'complete');
  const repeated = groupBy(
    complete.filter((measurement) => measurement.isDisplaced !== true && !isHeldBack(measurement)),
    (measurement) => cellOf(measurement),
  );
  return {
    runId,
    planName,
    createdAt,
    endedAt,
    outcome,
    expectations: expectations?.outcome,
    expectationCounts: expectations && countsOf(expectations),
    scaledModel,
    costUsd,
    isScheduled: isScheduledRun(runId),
    reason: reasonOf(summary),
    completeCount: complete.length,
    measurementCount: measurements.length,
    verdictCounts: verdictCountsOf(complete),
    cells: [...repeated].map(([cell, repetitions]) => cellDigestOf(cell, repetitions, summary, plan)),
  };
}

type Expectations = NonNullable<DigestedSummary['expectations']>;

function countsOf({ judged }: Expectations): RunDigest['expectationCounts'] {
  const counts = { met: 0, not_met: 0, undecided: 0, not_measured: 0 };
  for (const { status } of judged) counts[status] += 1;
  return counts;
}

function verdictCountsOf(complete: DigestedSummary['measurements']): RunDigest['verdictCounts'] {
  const judged = complete.flatMap(({ verdict, packetVerdict }) => {
    const found = verdict ?? packetVerdict;
    return found ? [{ kind: found.kind, cause: found.cause }] : [];
  });
  const counts = [...groupBy(judged, verdictWord).values()].map((alike) => ({ ...alike[0], count: alike.length }));
  return counts.length === 0 ? undefined : counts.sort((left, right) => right.count - left.count);
}

function reasonOf({ outcome, interruptedReason, pairs }: DigestedSummary): string | null {
  if (outcome === 'complete') return null;
  if (interruptedReason !== null) return interruptedReason;
  const failed = pairs.find(({ status, reason }) => status === 'failed' && reason !== null);
  return failed === undefined ? null : `${failed.pairId}: ${failed.reason}`;
}

function cellDigestOf(
  cell: string,
  repetitions: readonly [WithVerdictJson<SummarisedMeasurement>, ...WithVerdictJson<SummarisedMeasurement>[]],
  { answer }: DigestedSummary,
  plan: DigestedPlan | undefined,
): CellDigest {
  const [first] = repetitions;
  const { clientType, serverType, tool, kind } = first;
  const types = [plan?.instanceTypes[clientType], plan?.instanceTypes[serverType]];
  const pairCount = new Set(repetitions.map(({ pairId }) => pairId)).size;
  const results = repetitions.map((repetition) => resultFromJson(repetition) as MeasurementResult);
  return {
    cell,
    conditions: cellInWords(first),
    clientType,
    serverType,
    tool,
    kind,
    publishedBaselineBitsPerSecond: lowest(types, 'baselineBitsPerSecond'),
    publishedPeakBitsPerSecond: lowest(types, 'peakBitsPerSecond'),
    answer: answerOf(
      answer,
      repetitions.map(({ measurementId }) => measurementId),
    ),
    ...(pairCount < repetitions.length && { sharesPairs: true, pairCount }),
    figures: FIGURES.flatMap((figure) => {
      const [measured, ...others] = results.filter((result) => figure.of(result) !== undefined);
      const interval = measured && others.length === 0 ? boundsOf(figure.intervalOf(measured)) : undefined;
      const valuesOf = (some: readonly MeasurementResult[]) => some.flatMap((result) => figure.of(result) ?? []);
      const values = valuesOf(results.filter((result) => !isContended(result)));
      const contended = valuesOf(results.filter(isContended));
      if (contended.length > 0) return [{ key: figure.key, values, contendedValues: contended, interval }];
      return values.length === 0 ? [] : [{ key: figure.key, values, interval }];
    }),
  };
}

/** A document has no infinite bound. */
const boundsOf = (interval: Interval | undefined) =>
  interval && [interval.low, interval.high].every(Number.isFinite)
    ? { low: interval.low, high: interval.high }
    : undefined;

function lowest(
  types: readonly (InstanceTypeFacts | undefined)[],
  figure: 'baselineBitsPerSecond' | 'peakBitsPerSecond',
): number | undefined {
  const published = types.flatMap((type) => type?.[figure] ?? []);
  return published.length === 0 ? undefined : smallest(published);
}
