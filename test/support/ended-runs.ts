/** Runs that have ended, as the store has them: their summary, their plan and their report. */
import type { MeasurementResult } from '../../domain/model/result';
import { runSummary, summaryToJson, type RunSummary } from '../../domain/run/summary';
import { planKey, reportKey, summaryKey } from '../../domain/workflow/object-keys';
import type { FakeStore } from './fake-store';
import { latencyResult, throttledResult } from './measurement-results';
import { plannedRun, typeFacts } from './planned-run';

export interface EndedRunFacts {
  readonly planName?: string;
  readonly createdAt?: string;
  readonly outcome?: RunSummary['outcome'];
  readonly results?: readonly MeasurementResult[];
  readonly scaledModel?: RunSummary['scaledModel'];
}

export function endedSummary(runId: string, facts: EndedRunFacts = {}): RunSummary {
  const { planName = 'Burst of c5', createdAt = '2026-11-20T10:00:00.000Z' } = facts;
  const summary = runSummary({
    run: { runId, createdAt, plan: { name: planName }, expectedUsd: 0.5, upperUsd: 2, scaledModel: facts.scaledModel },
    results: facts.results ?? [throttledResult(), latencyResult()],
    pairs: [],
    endedAt: '2026-11-20T11:00:00.000Z',
    interruptedReason: null,
    earlierRuns: [],
    warnings: [],
    reportUri: `s3://results/${reportKey(runId)}`,
  });
  return { ...summary, outcome: facts.outcome ?? summary.outcome };
}

export function putEndedRun(store: FakeStore, runId: string, facts: EndedRunFacts = {}): void {
  const types = ['c5.xlarge', 'c5.9xlarge'].map((type) => typeFacts(type, { baselineBitsPerSecond: 1.25e9 }));
  store.putJson(planKey(runId), { ...plannedRun({}, types), runId });
  store.putJson(summaryKey(runId), summaryToJson(endedSummary(runId, facts)));
  store.putJson(reportKey(runId), '<!doctype html>');
}
