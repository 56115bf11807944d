/** What a plan may not ask for, as far as the plan alone tells. */
import { measureCommand, prepareCommand, serveCommand } from '../measurement/tool-catalogue';
import { RUN_ID_PATTERN } from '../workflow/identifiers';
import type { PlanProblem } from '../workflow/error-names';
import { HISTORY_EVENT_BUDGET, pairHistoryEvents } from '../workflow/polling';
import { measurementsPerPair, pairCount, plannedMeasurement } from './expand-plan';
import type { ReadPlan } from './read-plan';
import type { MeasurementPlan } from './schema';

/**
 * The run's execution carries one iteration of an inline Map per pair: about a dozen of its 25,000 history events each,
 * and its input and outcome in a state of at most 256 KiB.
 */
export const MAX_PAIRS = 1_000;

export function checkRunId(runId: string): PlanProblem[] {
  if (RUN_ID_PATTERN.test(runId)) return [];
  return [{ path: 'execution.name', value: runId, allowed: `text that matches ${RUN_ID_PATTERN.source}` }];
}

export function checkPlan({ plan, pairs, measurements }: ReadPlan): PlanProblem[] {
  return [
    ...pairs.flatMap((pair, index): PlanProblem[] =>
      pair?.placement === 'cluster' && pair.zoneRelation === 'other_zone'
        ? [
            {
              path: `plan.pairs[${index}].placement`,
              value: pair.placement,
              allowed:
                'none, spread or partition with zoneRelation other_zone (a cluster placement group lies in one zone)',
            },
          ]
        : [],
    ),
    ...measurements.flatMap((measurement, index): PlanProblem[] =>
      measurement?.tool === 'iperf3' && measurement.protocol === 'udp' && measurement.targetBitsPerSecond === undefined
        ? [
            {
              path: `plan.measurements[${index}].targetBitsPerSecond`,
              value: undefined,
              allowed: 'given with protocol udp (iperf3 would offer 1 Mbit/s by itself)',
            },
          ]
        : [],
    ),
    ...checkHistory(measurements.filter((measurement) => measurement !== undefined)),
    ...(plan !== undefined && pairCount(plan) > MAX_PAIRS
      ? [
          {
            path: 'plan.repetitions',
            value: plan.repetitions,
            allowed: `so few that the run takes at most ${MAX_PAIRS} fresh pairs (it would take ${pairCount(plan)})`,
          },
        ]
      : []),
  ];
}

/** An execution that reaches the service's history limit is ended without a teardown: no pair may come near it. */
function checkHistory(measurements: readonly MeasurementPlan[]): PlanProblem[] {
  const context = { runId: '', pairId: '', bucketName: '', serverAddress: '' };
  const prepare = prepareCommand(context);
  const events = Math.max(
    0,
    ...measurementsPerPair(measurements).map((group) => {
      const planned = group.map((measurement, index) => plannedMeasurement('p0001', index, measurement));
      return pairHistoryEvents(
        prepare,
        planned.map((one) => ({ serve: serveCommand(context, one), measure: measureCommand(context, one) })),
      );
    }),
  );
  if (events <= HISTORY_EVENT_BUDGET) return [];
  return [
    {
      path: 'plan.measurements',
      value: `${measurements.length} measurements, up to ${events} history events on one pair`,
      allowed: `few or short enough for ${HISTORY_EVENT_BUDGET} history events (all latency measurements share a pair)`,
    },
  ];
}
