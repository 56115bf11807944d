/** The message and the metrics of a run that has ended. */
import { describe, expect, test } from '@jest/globals';
import { runAnswer } from '../../domain/answer/run-answer';
import { newsOf, watchedFigures } from '../../domain/history/changes';
import type { RunHistory } from '../../domain/history/history';
import type { RunDigest } from '../../domain/history/run-digest';
import { resultToJson } from '../../domain/model/verdict-json';
import { compareRuns, runComparison } from '../../domain/run/comparison';
import type { RunSummaryJson } from '../../domain/run/summary';
import { summaryKey } from '../../domain/workflow/object-keys';
import { makeAnnouncements } from '../../lambdas/publish-run/announcements';
import { MAX_SUBJECT_CHARACTERS, type RunMessage } from '../../lambdas/publish-run/message';
import type { MetricLine } from '../../lambdas/shared/metrics';
import { putEndedRun } from '../support/ended-runs';
import { FakeStore } from '../support/fake-store';
import { recordedInput } from '../support/recorded-types';
import { throttledResult, throttledVerdict } from '../support/measurement-results';

function summaryOf(runId: string, changed: Partial<RunSummaryJson> = {}): RunSummaryJson {
  const store = new FakeStore();
  putEndedRun(store, runId);
  return { ...store.json<RunSummaryJson>(summaryKey(runId)), ...changed };
}

/** A history of as many runs as there are baselines, the last of which is `scheduled-last`. */
function historyOf(baselines: readonly number[]): RunHistory {
  const runs = baselines.map((baseline, index): RunDigest => {
    const runId = index === baselines.length - 1 ? 'scheduled-last' : `scheduled-${index}`;
    const at = new Date(Date.UTC(2026, 9, 1 + index)).toISOString();
    const figures = [
      { key: 'baselineBitsPerSecond', values: [baseline * 0.99e9, baseline * 1e9, baseline * 1.01e9] },
      { key: 'meanBitsPerSecond', values: [2e9] },
    ];
    const subject = { clientType: 'c5.xlarge', serverType: 'c5.9xlarge', tool: 'iperf3', kind: 'throughput' as const };
    return {
      ...{ runId, planName: 'canary', createdAt: at, endedAt: at, outcome: 'complete' as const, reason: null },
      ...{ isScheduled: true, costUsd: 0.42, completeCount: 3, measurementCount: 3 },
      cells: [{ ...subject, cell: 'a cell', conditions: 'iperf3, same zone – 8 streams', figures }],
    };
  });
  return { schema: 'network-benchmark.history.v3', runs, olderRunIds: [] };
}

async function announced(
  summary: RunSummaryJson,
  history?: RunHistory,
  areAllRunsMeasured = false,
  presignedHours = 0,
): Promise<{ message: RunMessage; lines: MetricLine[]; logged: unknown[] }> {
  const [messages, lines, logged]: [RunMessage[], MetricLine[], unknown[]] = [[], [], []];
  const announcements = makeAnnouncements({
    bucketName: 'results',
    region: 'eu-central-1',
    stackName: 'Bench',
    runStateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:Bench-network-benchmark',
    areAllRunsMeasured,
    presigned:
      presignedHours === 0
        ? undefined
        : { hours: presignedHours, linkTo: async (key) => `https://results.example/${key}?signed` },
    writeMetrics: (written) => lines.push(...written),
    publish: async (message) => {
      messages.push(message);
    },
    log: (text, keys) => logged.push([text, keys]),
  });
  const { runId } = summary;
  const digest = history?.runs.find((run) => run.runId === runId);
  const figures = history === undefined ? [] : watchedFigures(history);
  const run = { runId, summary, digest, ...newsOf(figures, runId) };
  for (const announce of Object.values(announcements)) await announce(run);
  return { message: messages[0]!, lines, logged };
}

const STABLE = Array.from({ length: 12 }, (_, index) => 1.25 + 0.01 * ((index % 3) - 1));
const FALLEN = [...STABLE, 1.02, 1.02, 1.02];
/** Too few runs for a change that is certain. */
const PERHAPS_FALLEN = [...STABLE.slice(0, 5), 1.06, 1.07, 1.06];

describe('the message', () => {
  test('says how the run ended, what it found, what it cost, and where to look', async () => {
    const { message } = await announced(summaryOf('run-1', { costUsd: 0.416, priceList: 'list prices in us-east-1' }));
    expect(message.subject).toBe('Network Bench: Burst of c5: complete');
    expect(message.body).toContain(
      'The run of the plan "Burst of c5" (run-1) is complete: 2 of 2 measurements complete.',
    );
    expect(message.body).toMatch(
      /^c5\.xlarge to c5\.9xlarge carries 9\.52 Gbit\/s for 1\.01 min, then 1\.24 Gbit\/s\./,
    );
    expect(message.body).toContain('Price: 0.42 USD; estimated 0.50 USD, at most 2.00 USD (list prices in us-east-1).');
    for (const link of [
      'https://eu-central-1.console.aws.amazon.com/s3/object/results?region=eu-central-1&prefix=reports%2Frun-1%2Freport.html',
      'https://eu-central-1.console.aws.amazon.com/s3/object/results?region=eu-central-1&prefix=index.html',
      'https://eu-central-1.console.aws.amazon.com/states/home?region=eu-central-1#/v2/executions/details/' +
        'arn:aws:states:eu-central-1:123456789012:execution:Bench-network-benchmark:run-1',
    ]) {
      expect(message.body).toContain(link);
    }
    expect(message.body).toContain('To stop these messages, use the link that SNS adds below');
  });

  test('has a link that opens without an account where the deployment asks for it, and says for how long', async () => {
    const { message } = await announced(summaryOf('run-1'), undefined, false, 6);
    expect(message.body).toContain(
      'Anyone who has this link can read the report without signing in, for 6 hours at most:\n' +
        'https://results.example/reports/run-1/report.html?signed\n',
    );
    const { message: without } = await announced(summaryOf('run-1'));
    expect(without.body).not.toContain('without signing in');
  });

  test('names the direction and the size of a change', async () => {
    const { message } = await announced(summaryOf('scheduled-last'), historyOf(FALLEN));
    expect(message.subject).toBe(
      'Network Bench: Burst of c5: complete, baseline of c5.xlarge to c5.9xlarge fell by 18 %',
    );
    expect(message.body).toMatch(
      /Changes over the history of runs\n {2}Baseline of c5\.xlarge to c5\.9xlarge fell by 18 %, from 1\.25 to 1\.02 Gbit\/s \(95 % interval 1\.\d+ to 1\.\d+\), in the newest 3 of 15 runs, since 2026-10-13 \(run scheduled-12\)\. Measured by iperf3/,
    );
  });

  test('names a possible change as such, with direction, size and interval', async () => {
    const { message } = await announced(summaryOf('scheduled-last'), historyOf(PERHAPS_FALLEN));
    expect(message.subject).toBe('Network Bench: Burst of c5: complete, 1 possible change');
    expect(message.body).toMatch(
      /Changes over the history of runs\n {2}Possible change: baseline of c5\.xlarge to c5\.9xlarge fell by about 15 %, from 1\.25 to 1\.06 Gbit\/s \(95 % interval 1\.0\d to 1\.\d+\), in the newest 3 of 8 runs, too few to be sure, since 2026-10-06 \(run scheduled-5\)\. Measured by iperf3/,
    );
  });

  test('names the run that the plan is compared with, and what has changed since', async () => {
    const results = (factor: number) =>
      [1, 2, 3].map((repetition) => {
        const value = 1.25e9 * factor * (1 + 0.002 * repetition);
        const baseline = { value, low: value, high: value };
        const pairId = `p000${repetition}`;
        const ids = { pairId, measurementId: `${pairId}-m01`, repetition };
        return throttledResult({ ...ids, verdict: { ...throttledVerdict, baseline } });
      });
    const compared = async (factor: number) => {
      const comparedRun = runComparison(compareRuns('scheduled-1', results(1), results(factor)));
      const measurements = results(factor).map((result) => resultToJson({ ...result, reason: null }));
      return announced(summaryOf('scheduled-2', { comparedRun, measurements }));
    };
    expect((await compared(0.8)).message.body).toMatch(
      /\nCompared with scheduled-1: 1 of \d+ figures changed beyond the noise.*\n {2}Baseline of c5\.xlarge to c5\.9xlarge fell by 20 %, from 1\.25 to 1\.00 Gbit\/s\. Measured by iperf3: .*\n\n/,
    );
    expect((await compared(1)).message.body).toMatch(
      /\nCompared with scheduled-1: 0 of \d+ figures changed beyond the noise.*\.\n\n/,
    );
  });

  test('says why there is no comparison', async () => {
    const warnings = ['no comparison with the previous run: no earlier complete run of plan nightly in 178 days'];
    const { message } = await announced(summaryOf('scheduled-1', { warnings }));
    expect(message.body).toContain(`\nWarnings\n  ${warnings[0]}\n`);
    expect(message.body).not.toContain('Compared with');
  });

  test('says why a plan was refused', async () => {
    const interruptedReason = 'plan.pairs[0].clientType: must be an instance type\nplan.name: must be given';
    const refused = { outcome: 'failed' as const, interruptedReason, measurements: [], pairs: [], expectedUsd: null };
    const { message } = await announced(summaryOf('scheduled-1', refused));
    expect(message.subject).toBe('Network Bench: Burst of c5: refused');
    expect(message.body).toContain(
      'The scheduled run of the plan "Burst of c5" (scheduled-1) was refused, and nothing was launched.\n' +
        'plan.pairs[0].clientType: must be an instance type\nplan.name: must be given\n',
    );
    expect(message.body).not.toContain('Price');
  });

  test('has a line of each of the first six types, and what the other ones are', async () => {
    const { results, pairCosts } = recordedInput();
    const answer = runAnswer(results, pairCosts)!;
    const [row] = answer.rows;
    const seven = { ...answer, rows: [...answer.rows, { ...row!, label: 'm5.large' }] };
    const { message } = await announced(summaryOf('run-1', { answer: seven }));
    expect(message.body).toMatch(/^c5\.4xlarge and c6gd\.4xlarge sustain the most: 5\.02 and 4\.97 Gbit\/s\./);
    expect(message.body).toContain(
      '  c5.xlarge: 9.69 Gbit/s for 8.75 min, then 1.25 Gbit/s; 4 pairs; 0.34 USD an hour\n' +
        '  c5.large: 5.02 or 9.69 Gbit/s for 9.92 or 4.56 min, then 0.751 Gbit/s; 7 pairs; 0.17 USD an hour\n' +
        '  and 1 more, in the report\n',
    );
  });

  test('names the pairs that failed', async () => {
    const facts = { clientType: 'c5.xlarge', serverType: 'm5.large' };
    const pairs = [{ pairId: 'p0002', status: 'failed' as const, reason: 'no capacity', ...facts }];
    const { message } = await announced(summaryOf('run-1', { outcome: 'incomplete', pairs }));
    expect(message.body).toContain('Pairs that failed\n  p0002 c5.xlarge to m5.large: no capacity\n');
  });

  test('stays a mail, whatever the plan is called and however much there is to say', async () => {
    const [measurement] = summaryOf('run-1').measurements;
    const many = {
      planName: `Wöchentlich\u001b[31m ${'x'.repeat(200)}`,
      measurements: Array.from({ length: 3000 }, () => ({
        ...measurement!,
        status: 'failed' as const,
        reason: 'y'.repeat(5000),
      })),
    };
    const { message } = await announced(summaryOf('run-1', many));
    expect(message.subject).toMatch(/^Network Bench: W\?chentlich\?\[31m x+\.\.\.: complete$/);
    expect(message.subject).toHaveLength(MAX_SUBJECT_CHARACTERS);
    expect(message.body).toContain('and 2980 more, in the report');
    expect(message.body).not.toContain('\u001b');
    expect(Buffer.byteLength(message.body)).toBeLessThan(20_000);
  });
});

describe('the metrics', () => {
  const valuesOf = (lines: readonly MetricLine[]) =>
    Object.fromEntries(lines.flatMap(({ values }) => values.map(({ name, value }) => [name, value])));

  test('of a scheduled run are its figures by type and condition, its price, and what the alarms count', async () => {
    const { lines, logged } = await announced(summaryOf('scheduled-last'), historyOf(FALLEN));
    expect(lines).toEqual([
      {
        dimensions: {},
        values: [
          { name: 'ScheduledRunsFailed', unit: 'Count', value: 0 },
          { name: 'FiguresChanged', unit: 'Count', value: 1 },
        ],
      },
      { dimensions: { Plan: 'canary' }, values: [{ name: 'RunCostUsd', unit: 'None', value: 0.42 }] },
      {
        dimensions: { Client: 'c5.xlarge', Server: 'c5.9xlarge', Conditions: 'iperf3, same zone   8 streams' },
        values: [{ name: 'Baseline', unit: 'Bits/Second', value: 1.02e9 }],
      },
    ]);
    expect(logged).toEqual([
      ['figure changed', { runId: 'scheduled-last', change: expect.stringContaining('fell by 18 %') }],
    ]);
  });

  test('count no change in a stable history', async () => {
    const { lines } = await announced(summaryOf('scheduled-last'), historyOf(STABLE));
    expect(valuesOf(lines)).toMatchObject({ FiguresChanged: 0 });
  });

  test('count no change that is only possible; the log has it', async () => {
    const { lines, logged } = await announced(summaryOf('scheduled-last'), historyOf(PERHAPS_FALLEN));
    expect(valuesOf(lines)).toMatchObject({ FiguresChanged: 0 });
    expect(logged).toEqual([
      ['figure possibly changed', { runId: 'scheduled-last', change: expect.stringContaining('fell by about 15 %') }],
    ]);
  });

  test.each([
    ['is incomplete', { outcome: 'incomplete' as const }, 1],
    [
      'must meet its expectations and does not',
      { expectations: { outcome: 'not_met', failsRun: true, judged: [] } },
      1,
    ],
    ['need not meet its expectations', { expectations: { outcome: 'not_met', failsRun: false, judged: [] } }, 0],
  ])('count a scheduled run as failed or not that %s', async (_, facts, failed) => {
    const summary = summaryOf('scheduled-last', facts as Partial<RunSummaryJson>);
    expect(valuesOf((await announced(summary, historyOf(STABLE))).lines)).toMatchObject({
      ScheduledRunsFailed: failed,
    });
  });

  test('have no figure of hosts whose processors were busy with other work', async () => {
    const cpuContention = 'other work kept the processors of both hosts busy';
    const metricsOf = async (changes: object) => {
      const measurements = [resultToJson({ ...throttledResult(changes), reason: null })];
      return valuesOf((await announced(summaryOf('run-1', { measurements }), undefined, true)).lines);
    };
    expect(await metricsOf({ cpuContention })).toEqual({ FiguresChanged: 0 });
    expect(await metricsOf({})).toHaveProperty('Baseline', 1.24e9);
  });

  test('of other runs are written only where the deployment asks for them', async () => {
    expect((await announced(summaryOf('run-1'))).lines).toEqual([]);
    const all = valuesOf((await announced(summaryOf('run-1'), undefined, true)).lines);
    expect(Object.keys(all)).toEqual(expect.arrayContaining(['FiguresChanged', 'Baseline', 'Bucket', 'RoundTripP99']));
    expect(all).not.toHaveProperty('ScheduledRunsFailed');
  });
});
