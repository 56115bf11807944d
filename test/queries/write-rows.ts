/**
 * Writes the tables' definitions and rows of a made-up run, by the product's own writers: `tsx write-rows.ts FOLDER
 * DAY`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONDITIONS } from '../../domain/model/conditions';
import { settingColumns } from '../../domain/model/setting';
import { SETTINGS } from '../../domain/model/settings';
import { liveSampleRow, measurementRow, pairRow, runRow, TABLES } from '../../domain/tables/columns';
import { VIEWS } from '../../domain/tables/views';
import { liveMeasurementRowKey, liveSamplesKey, pairRowsKey, runRowKey } from '../../domain/workflow/object-keys';
import { measurementCost, pairCost } from '../support/costs';
import {
  bidirectionalResult,
  failedResult,
  latencyResult,
  packetResult,
  packetSeries,
  RUN_ID,
  steadyResult,
  throttledResult,
  throttledSeries,
} from '../support/measurement-results';
import { plannedRun } from '../support/planned-run';
import { rowWriter, writeFoldedRun } from '../support/table-rows';

const [folder, day] = process.argv.slice(2) as [string, string];

const write = rowWriter(folder, { compressed: false });

const namesOfSettings = [CONDITIONS, SETTINGS].flatMap((table) => settingColumns(table).map(({ column }) => column));
const cellColumns = ['client_type', 'server_type', 'tool', ...namesOfSettings];
const tables = Object.entries(TABLES).map(([name, table]) => [name, { ...table, cellColumns }] as const);
writeFileSync(join(folder, 'tables.json'), JSON.stringify(Object.fromEntries(tables)));
writeFileSync(join(folder, 'views.json'), JSON.stringify(VIEWS));

const results = [
  latencyResult(),
  latencyResult({ repetition: 2, pairId: 'p0004', measurementId: 'p0004-m01' }),
  throttledResult(),
  steadyResult(),
  bidirectionalResult(),
  failedResult(),
];
const series = throttledSeries();
const identity = { runId: RUN_ID, measurementId: 'p0001-m02' };
writeFoldedRun(
  write,
  day,
  RUN_ID,
  results.map((result) => ({
    result,
    samples: result.measurementId === identity.measurementId ? series : [],
    cost: measurementCost({ measurementId: result.measurementId }),
    ending: { outcome: 'incomplete', interruptedReason: 'the run was stopped' },
  })),
);
const packets = packetResult({ runId: 'packets-of-c5-20261120' });
writeFoldedRun(write, day, packets.runId, [
  {
    result: packets,
    samples: packetSeries(),
    cost: measurementCost({ measurementId: packets.measurementId }),
    ending: { outcome: 'complete', interruptedReason: null },
  },
]);
// The first twenty seconds have arrived: two chunks.
for (const sequence of [0, 1]) {
  write(
    liveSamplesKey(day, { ...identity, hostRole: 'server' }, sequence),
    series
      .filter(({ startSeconds }) => Math.floor(startSeconds / 10) === sequence)
      .map((sample) => liveSampleRow(sample, { ...identity, sequence, startedAt: '2026-11-20T21:02:03.250Z' })),
  );
}
// Another run has not ended.
const running = steadyResult({ runId: 'still-running' });
write(liveMeasurementRowKey(day, running.runId, running.measurementId), [measurementRow(running)]);
write(
  pairRowsKey(day, RUN_ID),
  plannedRun({ repetitions: 2 }).pairs.map((pair) =>
    pairRow({
      runId: RUN_ID,
      planName: 'Burst of c5',
      pair,
      status: 'complete',
      reason: null,
      cost: pairCost({ pairId: pair.pairId }),
    }),
  ),
);
write(runRowKey(day, RUN_ID), [
  runRow({
    runId: RUN_ID,
    planName: 'Burst of c5',
    createdAt: '2026-11-20T21:00:00Z',
    outcome: 'incomplete',
    pairCount: 4,
    failedPairCount: 1,
    repetitions: 1,
    concurrency: 4,
    measurementStatuses: results.map(({ status }) => status),
    expectedUsd: 80,
    upperUsd: 120,
    costUsd: 90,
    expectationsOutcome: 'not_met',
    expectations: [
      {
        path: 'plan.expect[0].baselineBitsPerSecond.min',
        cell: 'client_type=c5.xlarge ',
        plan_pair_index: 0,
        plan_measurement_index: 1,
        figure: 'baselineBitsPerSecond',
        limit_kind: 'min',
        limit_value: 2e9,
        observed: 1.24e9,
        low: 1.2e9,
        high: 1.28e9,
        status: 'not_met',
      },
      {
        path: 'plan.expect[1].costUsd.max',
        figure: 'costUsd',
        limit_kind: 'max',
        limit_value: 100,
        observed: 90,
        status: 'met',
      },
    ],
    tags: { Team: 'net', 'cost.center': '42' },
  }),
]);
