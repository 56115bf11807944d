/** Whether a run has started by the time at which one was due. */
import { makeCheckSchedule } from '../../lambdas/check-schedule/check-schedule';
import type { MetricLine } from '../../lambdas/shared/metrics';

const DUE = new Date('2026-11-23T06:00:12Z');

async function check(executions: Readonly<Record<string, string>>): Promise<MetricLine[]> {
  const written: MetricLine[] = [];
  const checkSchedule = makeCheckSchedule({
    toleranceSeconds: 120,
    listExecutionsSince: async (since) =>
      Object.entries(executions).flatMap(([name, at]) => (new Date(at) >= since ? [name] : [])),
    writeMetrics: (lines) => written.push(...lines),
    log: () => undefined,
  });
  await checkSchedule({ Records: [{ attributes: { SentTimestamp: String(DUE.getTime()) } }] });
  return written;
}

test.each([
  ['just after', '2026-11-23T06:00:40Z'],
  ['just before', '2026-11-23T05:59:01Z'],
])('counts nothing where a scheduled run has started %s', async (_, at) => {
  expect(await check({ 'scheduled-d32c5k': at })).toEqual([]);
});

test.each([
  ['nothing has started', {}],
  ['only the run before has', { 'scheduled-d32c5k': '2026-11-22T06:00:40Z' }],
  ["only somebody's own run has", { 'my-run': '2026-11-23T06:00:40Z' }],
])('counts a missed start where %s', async (_, executions) => {
  expect(await check(executions)).toEqual([
    { dimensions: {}, values: [{ name: 'ScheduledRunsNotStarted', unit: 'Count', value: 1 }] },
  ]);
});
