/**
 * Writes the rows of runs with an answer, with an empty one and with none, and their summaries:
 * `tsx write-answers.ts FOLDER DAY`. The answer is of a run over the recorded instance types, with round trips.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runAnswer } from '../../domain/answer/run-answer';
import type { RunAnswer } from '../../domain/model/answer';
import { runRow } from '../../domain/tables/columns';
import { runRowKey, summaryKey } from '../../domain/workflow/object-keys';
import { latencyResult, steadyResult } from '../support/measurement-results';
import { recordedInput } from '../support/recorded-types';
import { rowWriter } from '../support/table-rows';

const [folder, day] = process.argv.slice(2) as [string, string];
const { results, pairCosts } = recordedInput();
const roundTrips = results.map(({ clientType, serverType, pairId }) =>
  latencyResult({ clientType, serverType, pairId, measurementId: `${pairId}-m02` }),
);
const whole = runAnswer([...results, ...roundTrips], pairCosts)!;
/** Two types in two settings each, of which none shows a drop. */
const steady = ['c5.large', 'c5.xlarge'].flatMap((type, planPairIndex) =>
  [1, 8].map((parallelStreams, planMeasurementIndex) => {
    const pairId = `p000${planPairIndex + 1}`;
    const measurementId = `${pairId}-m0${planMeasurementIndex + 1}`;
    const identity = { pairId, measurementId, planPairIndex, planMeasurementIndex };
    const verdict = { ...steadyResult().verdict!, bucketBitsAtLeast: 2e12 };
    return steadyResult({ ...identity, clientType: type, serverType: type, parallelStreams, verdict });
  }),
);
const scaledModel = { name: 'a model', rateDivisor: 10, timeDivisor: 2 };
const answers: Readonly<Record<string, RunAnswer | undefined>> = {
  recorded: whole,
  'two-settings': runAnswer(steady),
  'recorded-at-a-scale': { ...whole, scaledModel },
  'empty-answer': { ...whole, rows: [] },
  'no-answer': undefined,
};
const write = rowWriter(folder, { compressed: false });
for (const [runId, answer] of Object.entries(answers)) {
  const identity = { runId, planName: 'six-types' };
  const row = runRow({
    ...identity,
    region: 'eu-west-1',
    createdAt: '2026-11-20T21:00:00.000Z',
    outcome: 'complete',
    pairCount: results.length,
    failedPairCount: 0,
    repetitions: 1,
    concurrency: 1,
    measurementStatuses: results.map(({ status }) => status),
    answer,
  });
  write(runRowKey(day, runId), [row]);
  const summary = join(folder, summaryKey(runId));
  mkdirSync(dirname(summary), { recursive: true });
  writeFileSync(summary, JSON.stringify({ ...identity, answer }));
}
