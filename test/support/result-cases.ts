/** Answers for the checks of small measurements and of what a run shows, for `test/on-aws/checks.test.ts`. */
import { measurementResultKey, pairHostsKey, planKey, reportKey } from '../../domain/workflow/object-keys';
import { DOCUMENT_NAMES } from '../../lib/measurement-documents/measurement-documents';
import { runAnswer } from '../../domain/answer/run-answer';
import { answerRows } from '../../domain/tables/answer-columns';
import type { Account } from '../on-aws/account';
import { throttledResult } from './measurement-results';
import { MEASUREMENT, PLAN, SUMMARY, type Left } from './proving-checks';

type Answer = readonly [what: string, answers: Partial<Account>, summary?: object, left?: Left];

export interface Case {
  readonly ends: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  readonly good: Answer;
  readonly bad: readonly Answer[];
}

const complete = SUMMARY;
const incomplete = { ...SUMMARY, outcome: 'incomplete' };
const measuring = (...measurements: object[]) => ({ ...SUMMARY, measurements });
const startedBy = (starter: string | undefined): Partial<Account> => ({ findStarter: async () => starter });
const counting = (stored: string): Partial<Account> => ({ runAthenaQuery: async () => [{ stored }] });

const host = (zone: string) => ({ instanceId: `i-${zone}`, zone });
const placed = (group: string | undefined, second: string, third: string): Left => ({
  objects: (runId) => ({
    [pairHostsKey(runId, 'p0001')]: { runId, client: host('a'), server: host(second), placementGroupName: group },
    [pairHostsKey(runId, 'p0002')]: { runId, client: host('a'), server: host(third) },
  }),
});

const pairs: Left = {
  objects: (runId) => ({
    [planKey(runId)]: { ...PLAN, pairs: [...PLAN.pairs, ...PLAN.pairs] },
    [pairHostsKey(runId, 'p0001')]: { client: host('1'), server: host('2') },
    [pairHostsKey(runId, 'p0002')]: { client: host('3'), server: host('4') },
  }),
};
const ran = (names: readonly string[], failed = '', stack = 'TheStack'): Partial<Account> => ({
  commandsOn: async (instanceId) =>
    (instanceId === 'i-4' ? names : []).map((name) => {
      return { document: `${stack}-${name}`, status: name === failed ? 'Failed' : 'Success', output: '' };
    }),
});

const probed = (...probedPaths: object[]) => ({ ...SUMMARY, probedPaths });
const arrived = { answer: 'accepted', pathMtuBytes: 9001, problem: null };

const http = { ...MEASUREMENT, tool: 'http' };
const cycle = { ...MEASUREMENT, kind: 'throughput', sampleCount: 20 };

const compared = (earlierRunId: string, figures: object[]) => ({
  ...SUMMARY,
  comparedRun: { earlierRunId, cells: [{ figures }] },
});

const judged = (...statuses: string[]) => ({
  ...SUMMARY,
  expectations: { judged: statuses.map((status) => ({ status })) },
});
const notMet: Left = { error: 'ExpectationsNotMet' };

const express = (clientMode: number, serverMode: number, sent: number): Left => ({
  objects: (runId) => ({
    [measurementResultKey(runId, MEASUREMENT.measurementId)]: {
      schema: 'network-benchmark.measurement.v1',
      verdict: null,
      client: { facts: { enaSrdMode: clientMode }, enaSrdPackets: { sent, eligible: 1000 } },
      server: { facts: { enaSrdMode: serverMode } },
    },
  }),
});

const shown = measuring({ ...MEASUREMENT, clientType: 't3.micro' });
const reporting = (body: string, output: object = {}): readonly [Partial<Account>, object, Left] => [
  {
    executionOutput: async (arn: string) => {
      const key = reportKey(arn.split(':').at(-1) ?? '');
      const reportConsole = `https://console/?prefix=${encodeURIComponent(key)}`;
      const links = { reportConsole, indexConsole: 'https://console/?prefix=index.html' };
      return JSON.stringify({
        report: `s3://results/${key}`,
        links,
        verdicts: ['p0001-m01 steady', '0.02 USD'],
        ...output,
      });
    },
  },
  shown,
  { objects: (runId) => ({ [reportKey(runId)]: body.replace('RUN', runId) }) },
];
const page = (text: string) => `<!doctype html><html><script>undefined</script><h1>RUN</h1>${text}</html>\n`;
const ROW = '<td>p0001-m01</td><td>t3.micro</td>';

const index = (text: string): Left => ({ objects: () => ({ 'index.html': text }) });

const answer = runAnswer([
  throttledResult(),
  throttledResult({ pairId: 'p0002', measurementId: 'p0002-m02', planPairIndex: 1, clientType: 'c5.large' }),
]);
const answered = { ...SUMMARY, answer };
/** What Athena answers: lists by their lengths, doubles as Java writes them, NULL as a cell without a value. */
const ANSWERS = (answerRows(answer) ?? []).map((row) =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      if (Array.isArray(value)) return [[name, String(value.length)]];
      if (typeof value === 'number') return [[name, name.endsWith('_count') ? String(value) : value.toExponential()]];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  ),
);
const answering = (rows: Awaited<ReturnType<Account['runAthenaQuery']>>): Partial<Account> => ({
  runAthenaQuery: async () => rows,
});
const withFirst = (changes: Readonly<Record<string, string | undefined>>) =>
  answering(ANSWERS.map((row, index) => (index === 0 ? { ...row, ...changes } : row)));

const priced = (costUsd: number | null, upperUsd: number | null = 0.3) => ({ ...SUMMARY, costUsd, upperUsd });

const BOTH = 'plan.pairs[1].clientType: must be a type, got "t3.nosuch"; plan.maxCostUsd: must be at least 0.02';
const refused = (
  cause: string,
  error = 'InvalidPlanError',
  objects: Left['objects'] = (runId) => ({ [reportKey(runId)]: 'page' }),
): Left => ({
  error,
  cause,
  objects,
});

export const RESULT_CASES: Readonly<Record<string, Case>> = {
  'rows-are-queried-while-measuring': {
    ends: 'RUNNING',
    good: ['rows', counting('12')],
    bad: [['no rows', counting('0')]],
  },
  'round-trips-and-routes-complete': {
    ends: 'SUCCEEDED',
    good: ['a whole run', {}],
    bad: [['an incomplete run', {}, incomplete]],
  },
  'every-document-runs': {
    ends: 'SUCCEEDED',
    good: ['all of them', ran(DOCUMENT_NAMES), complete, pairs],
    bad: [
      ['one document less', ran(DOCUMENT_NAMES.slice(1)), complete, pairs],
      ['one that failed', ran(DOCUMENT_NAMES, 'probe-path'), complete, pairs],
      ["another stack's", ran(DOCUMENT_NAMES, '', 'Other'), complete, pairs],
    ],
  },
  'starter-is-known': {
    ends: 'SUCCEEDED',
    good: ['an ARN', startedBy('arn:aws:sts::123456789012:assumed-role/Admin/me')],
    bad: [
      ['no event', startedBy(undefined)],
      ['a service', startedBy('scheduler.amazonaws.com')],
    ],
  },
  'hosts-are-placed-as-planned': {
    ends: 'SUCCEEDED',
    good: ['a group and two zones', {}, complete, placed('group', 'a', 'b')],
    bad: [
      ['no group', {}, complete, placed(undefined, 'a', 'b')],
      ['a group over two zones', {}, complete, placed('group', 'b', 'b')],
      ['one zone', {}, complete, placed('group', 'a', 'a')],
    ],
  },
  'own-route-is-probed': {
    ends: 'SUCCEEDED',
    good: ['an answer', {}, probed(arrived)],
    bad: [
      ['no probe', {}, complete],
      ['no answer', {}, probed({ ...arrived, answer: null, problem: 'timed out' })],
      ['no MTU', {}, probed({ answer: 'refused', problem: null })],
      ['one of two', {}, probed(arrived, { ...arrived, answer: null })],
      ['an incomplete run', {}, { ...probed(arrived), outcome: 'incomplete' }],
    ],
  },
  'loads-are-measured': {
    ends: 'FAILED',
    good: ['half of the seconds', {}, measuring(http, cycle)],
    bad: [
      ['an incomplete run', {}, { ...measuring(http, cycle), outcome: 'incomplete' }],
      ['no duty cycle', {}, measuring(http, { ...cycle, kind: 'packets' })],
      ['samples of the pauses', {}, measuring(http, { ...cycle, sampleCount: 40 })],
      ['half of the bursts', {}, measuring(http, { ...cycle, sampleCount: 10 })],
    ],
  },
  'runs-are-compared': {
    ends: 'SUCCEEDED',
    good: ['the run before', {}, compared('proof-smoke', [{}])],
    bad: [
      ['another run', {}, compared('nightly-1', [{}])],
      ['nothing in common', {}, compared('proof-smoke', [])],
      ['no comparison', {}, { ...SUMMARY, comparedRun: null }],
    ],
  },
  'expectations-fail-a-run': {
    ends: 'FAILED',
    good: ['one met and one not', {}, judged('met', 'not_met'), notMet],
    bad: [
      ['both met', {}, judged('met', 'met'), notMet],
      ['neither met', {}, judged('not_met', 'not_met'), notMet],
      ['nothing judged', {}, complete, notMet],
      ['another error', {}, judged('met', 'not_met'), { error: 'RunIncomplete' }],
      ['an incomplete run', {}, { ...judged('met', 'not_met'), outcome: 'incomplete' }, notMet],
    ],
  },
  'ena-express-carries': {
    ends: 'SUCCEEDED',
    good: ['packets over SRD', {}, complete, express(1, 1, 990)],
    bad: [
      ['it off on the server', {}, complete, express(1, 0, 990)],
      ['another mode', {}, complete, express(3, 3, 990)],
      ['no packets', {}, complete, express(1, 1, 0)],
      ['more packets than were eligible', {}, complete, express(1, 1, 1001)],
      ['an incomplete run', {}, incomplete, express(1, 1, 990)],
      ['nothing measured', {}, measuring()],
    ],
  },
  'report-shows-the-run': {
    ends: 'SUCCEEDED',
    good: ['a whole page', ...reporting(page(ROW))],
    bad: [
      ['a page that is cut', ...reporting(page(ROW).slice(0, -10))],
      ['a page of another run', ...reporting(page(ROW).replace('RUN', 'other'))],
      ['a page without a measurement', ...reporting(page('<td>t3.micro</td>'))],
      ['a figure that is missing', ...reporting(page(`${ROW}<td>NaN Gbit/s</td>`))],
      ['an output without the report', ...reporting(page(ROW), { report: undefined })],
      ['an output without links', ...reporting(page(ROW), { links: undefined })],
      ['an output without verdicts', ...reporting(page(ROW), { verdicts: [] })],
      ['no page', reporting('')[0], shown],
    ],
  },
  'index-lists-the-run': {
    ends: 'SUCCEEDED',
    good: ['a link', {}, complete, index('<a href="reports/proof-smoke/report.html">')],
    bad: [
      ['links to others', {}, complete, index('<a href="reports/nightly/report.html">')],
      ['no page', {}, complete],
    ],
  },
  'answers-are-queried': {
    ends: 'SUCCEEDED',
    good: ['the rows of the summary', answering(ANSWERS), answered],
    bad: [
      ['another rate', withFirst({ sustained_bits_per_second: '1.25E9' }), answered],
      ['a value that is missing', withFirst({ burst_bits_per_second: undefined }), answered],
      ['a value where there is none', withFirst({ bucket_bits_at_least: '1.0E9' }), answered],
      ['a shorter list', withFirst({ holds: '0' }), answered],
      ['its rows in another order', answering(ANSWERS.toReversed()), answered],
      ['one row less', answering(ANSWERS.slice(1)), answered],
      ['a row too many', answering([...ANSWERS, ...ANSWERS.slice(1)]), answered],
      ['no rows', answering([]), answered],
      ['a run that has no answer', answering([])],
    ],
  },
  'price-is-in-the-forecast': {
    ends: 'SUCCEEDED',
    good: ['a price', {}, priced(0.02)],
    bad: [
      ['an unknown price', {}, priced(null)],
      ['nothing to pay', {}, priced(0)],
      ['more than the forecast', {}, priced(0.31)],
      ['no forecast', {}, priced(0.02, null)],
    ],
  },
  'bad-plan-is-refused': {
    ends: 'FAILED',
    good: ['both problems', {}, complete, refused(BOTH)],
    bad: [
      ['one problem', {}, complete, refused(BOTH.replace(/;.*/, ''))],
      ['another error', {}, complete, refused(BOTH, 'RunFailed')],
      [
        'a launch',
        {},
        complete,
        refused(BOTH, 'InvalidPlanError', (runId) => ({
          [`reports/${runId}/pairs/p0001-launch.json`]: {},
          [reportKey(runId)]: 'page',
        })),
      ],
      ['no report', {}, complete, refused(BOTH, 'InvalidPlanError', () => ({}))],
    ],
  },
};
