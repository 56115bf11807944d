/** How many bytes a measurement leaves for good, and what the documents say about it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEPT_BYTES } from '../../domain/forecast/own-work';
import { SERVICE_PRICES } from '../../domain/forecast/prices/price-table';
import { makeAnalyseMeasurement } from '../../lambdas/analyse-measurement/analyse-measurement';
import { makeSummariseRun } from '../../lambdas/summarise-run/summarise-run';
import { HOST_ROLES } from '../../domain/model/host-role';
import { runLinks } from '../../domain/workflow/console-links';
import { pairHostsKey, planKey } from '../../domain/workflow/object-keys';
import { FakeExecutions } from '../support/fake-executions';
import { FakeStore } from '../support/fake-store';
import { HALF_HOUR_SECONDS, HALF_HOUR_STREAMS, halfHourLines } from '../support/half-hour-streams';
import { plannedRun, RUN_ID } from '../support/planned-run';
import { iperf3Command, putRawStream } from '../support/raw-streams';
import { renderReport } from '../support/report-input';

const USER = 'AROAROLE';

async function halfHour(): Promise<FakeStore> {
  const store = new FakeStore();
  const run = plannedRun({
    measurements: [{ tool: 'iperf3', durationSeconds: HALF_HOUR_SECONDS, parallelStreams: HALF_HOUR_STREAMS }],
  });
  const host = (instanceId: string) => ({
    instanceId,
    instanceType: 'c5.xlarge',
    zone: 'eu-test-1a',
    subnetId: 'subnet-a',
    imageId: 'ami-x86',
    privateIp: '10.0.0.1',
  });
  const hosts = { client: host('i-client'), server: host('i-server') };
  store.putJson(planKey(RUN_ID), run);
  store.putJson(pairHostsKey(RUN_ID, 'p0001'), { runId: RUN_ID, pairId: 'p0001', launchedAt: run.createdAt, ...hosts });
  for (const hostRole of HOST_ROLES) {
    putRawStream(store, {
      identity: {
        userId: `${USER}:i-${hostRole}`,
        runId: RUN_ID,
        measurementId: 'p0001-m01',
        hostRole,
      },
      tool: 'iperf3',
      command: iperf3Command(hostRole, HALF_HOUR_SECONDS, HALF_HOUR_STREAMS),
      lines: halfHourLines(hostRole, 1),
    });
  }
  const common = { store: store.adapter, now: () => new Date('2026-11-20T11:00:00.000Z'), log: () => undefined };
  const index = { runId: RUN_ID, pairIndex: 0, measurementIndex: 0, acceptTruncated: false, failureReason: null };
  const analysed = await makeAnalyseMeasurement({ ...common, hostRoleId: USER })(index);
  expect(analysed).toMatchObject({ status: 'complete' });
  await makeSummariseRun({
    ...common,
    database: 'benchmark',
    workGroup: 'benchmark',
    describePairExecution: (name) => new FakeExecutions().describeExecution('machine', name),
    findStarter: async () => undefined,
    runQuery: async () => [],
    renderReport,
    links: async (runId) => runLinks('eu-central-1', 'results', runId),
  })({ runId: RUN_ID, pairs: [{ pairIndex: 0, status: 'complete' }], interruptedReason: null });
  return store;
}

/** What a run leaves for good, by where it is. Hosts' raw streams and live rows expire. */
const KEPT: readonly [where: string, pattern: RegExp][] = [
  ['`samples/`', /^samples\//],
  ['`measurement_samples/`', /^measurement_samples\//],
  ['`reports/<run id>/series/`', /^reports\/[^/]+\/series\//],
  ['row and result', /^(parts|measurements|reports\/[^/]+\/measurements)\//],
  ["the run's report and documents", /^(pairs|runs|reports\/[^/]+\/([a-z]+\.(json|html)|pairs\/.*))/],
];
const MAX_BYTES = 700_000;

const stored = halfHour();
const decision = readFileSync(join(__dirname, '../../docs/decisions/0012-folded-runs.md'), 'utf8');

test('each object that half an hour leaves for good is of one kind', async () => {
  const kept = [...(await stored).objects.keys()].filter((key) => !key.startsWith('raw/'));
  const kinds = kept.map((key) => KEPT.filter(([, pattern]) => pattern.test(key)).length);
  expect(kinds).toEqual(kept.map(() => 1));
});

test('decision 12 says how much each of them takes, and how much a measurement takes in all', async () => {
  const kilobytes = await keptKilobytes();
  const said = KEPT.map(([where]) => {
    const row = decision.split('\n').find((line) => line.trim().startsWith(`| ${where} `));
    return [where, Number(row?.split('|')[2])];
  });
  expect(said).toEqual(KEPT.map(([where]) => [where, kilobytes(where)]));
  const measurement = KEPT.slice(0, -1).reduce((sum, [where]) => sum + kilobytes(where), 0);
  expect(measurement).toBeLessThanOrEqual(MAX_BYTES / 1000);
  const cents = (measurement / 1000) * SERVICE_PRICES.s3UsdPerGigabyteMonth * 100;
  expect(/([\d.]+) MB per measurement, ([\d.]+) US cents a month per thousand/.exec(decision)?.slice(1)).toEqual([
    (measurement / 1000).toFixed(2),
    cents.toFixed(1),
  ]);
});

test('decision 12 says how much a query reads of one measurement', async () => {
  const sizes = [...(await stored).objects].flatMap(([key, { length }]) =>
    key.startsWith('samples/') ? [length] : [],
  );
  const figures = [sizes.reduce((sum, each) => sum + each, 0), Math.max(...sizes)].map((each) =>
    (each / 1e6).toFixed(2),
  );
  expect(/is ([\d.]+) MB, of which the largest metric has ([\d.]+) MB/.exec(decision)?.slice(1)).toEqual(figures);
});

test('the forecast prices what a measurement leaves for good', async () => {
  const kilobytes = await keptKilobytes();
  const ofSeconds = ['`samples/`', '`measurement_samples/`', '`reports/<run id>/series/`'];
  const bySecond = ofSeconds.reduce((sum, where) => sum + kilobytes(where), 0) * 1000;
  expect((KEPT_BYTES.perSecond * HALF_HOUR_SECONDS) / bySecond).toBeCloseTo(1, 1);
  expect(KEPT_BYTES.perMeasurement / kilobytes('row and result') / 1000).toBeCloseTo(1, 1);
});

async function keptKilobytes() {
  const objects = [...(await stored).objects];
  return (where: string) => {
    const pattern = KEPT.find(([name]) => name === where)?.[1];
    const bytes = objects.filter(([key]) => pattern?.test(key)).map(([, body]) => body.length);
    return Math.round(bytes.reduce((sum, each) => sum + each, 0) / 1000);
  };
}
