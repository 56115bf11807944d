/**
 * Prints the documents of scheduled runs of one plan that measured the same baseline, until the last three measured less:
 * an object of keys in the result bucket and their contents. The last run's report comes last.
 */
import { runSummary, summaryToJson } from '../../domain/run/summary';
import { planKey, reportKey, summaryKey } from '../../domain/workflow/object-keys';
import { throttledResult } from './measurement-results';
import { plannedRun, typeFacts } from './planned-run';

const STABLE_RUNS = 12;
const FALLEN_RUNS = 3;
const STABLE_BITS_PER_SECOND = 1.25e9;
const FALLEN_BITS_PER_SECOND = 1.02e9;

const documents: Record<string, unknown> = {};
const { verdict } = throttledResult();
if (verdict === null) throw new Error('verdict: must be there, got null');
for (let index = 0; index < STABLE_RUNS + FALLEN_RUNS; index++) {
  const runId = `scheduled-planted${String(index).padStart(2, '0')}`;
  const day = new Date(Date.UTC(2026, 9, 1 + index)).toISOString();
  const level = index < STABLE_RUNS ? STABLE_BITS_PER_SECOND : FALLEN_BITS_PER_SECOND;
  const value = level * (1 + 0.005 * ((index % 3) - 1));
  const baseline = { value, low: value * 0.99, high: value * 1.01 };
  const summary = runSummary({
    run: { runId, createdAt: day, plan: { name: 'planted' }, expectedUsd: 0.5, upperUsd: 2 },
    results: [throttledResult({ runId, verdict: { ...verdict, baseline } })],
    pairs: [],
    endedAt: day,
    interruptedReason: null,
    earlierRuns: [],
    warnings: [],
    reportUri: `s3://results/${reportKey(runId)}`,
  });
  documents[summaryKey(runId)] = summaryToJson(summary);
  documents[planKey(runId)] = { ...plannedRun({}, [typeFacts('c5.xlarge'), typeFacts('c5.9xlarge')]), runId };
  if (index === STABLE_RUNS + FALLEN_RUNS - 1) documents[reportKey(runId)] = '<!doctype html>';
}
process.stdout.write(JSON.stringify(documents));
