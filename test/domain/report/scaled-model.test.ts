/** Figures of a scaled model of EC2 are nowhere shown as EC2's. */
import { answerSection } from '../../../domain/report/answer/answer';
import { runOutcome } from '../../../domain/terminal/run-outcome';
import { runSummary } from '../../../domain/run/summary';
import { verdictLine } from '../../../domain/terminal/verdict-line';
import { verdictTable } from '../../../domain/terminal/verdict-table';
import { measurementRow } from '../../../domain/tables/columns';
import { pairCost } from '../../support/costs';
import { bursting, judge, throttledSeries, witness } from '../../support/evidence';
import { failedResult, steadyResult, throttledResult, throttledVerdict } from '../../support/measurement-results';
import { textOf } from '../../support/page-markup';
import { renderReport, reportInput } from '../../support/report-input';

const scaledModel = { name: 'lab', rateDivisor: 10, timeDivisor: 20 };
/** 9.52 Gbit/s until 60.4 s, then 1.24 Gbit/s; a bucket of 500.1 Gbit. */
const throttled = throttledResult({ scaledModel });
const ON_EC2 = 'on EC2 that would be 95.2 Gbit/s until 1 208.0 s, then 12.4 Gbit/s, bucket 100 020 Gbit';
const OF_LAB = 'Measured in "lab", a scaled model of EC2';

const answer = (result: typeof throttled) =>
  textOf(answerSection({ results: [result], pairCosts: [pairCost()], seriesOf: new Map() })?.html.text);

test('a line of the verdicts has what it would be on EC2, where that is a plain scaling', () => {
  expect(verdictLine(throttled)).toContain(ON_EC2);
  expect(verdictLine(steadyResult({ scaledModel }))).toContain('on EC2 that would be 94.8 Gbit/s');
  const lost = throttledResult({ scaledModel, verdict: { ...throttledVerdict, cause: 'packet_loss' } });
  expect(verdictLine(lost)).not.toContain('On EC2');
  expect(verdictLine(throttledResult())).not.toContain('On EC2');
});

test('the tables of a terminal name the model and its scale, in ASCII', () => {
  const table = verdictTable([throttled, failedResult({ scaledModel })]);
  expect(table.split(OF_LAB)).toHaveLength(2);
  expect(table).toContain(`${throttled.measurementId}: on EC2 that would be 95.2 Gbit/s`);
  expect(table).toMatch(/^[\n -~]*$/);
  expect(verdictTable([throttledResult()])).not.toContain('EC2');
});

describe('the answer of a report', () => {
  test('says of each sentence what it would be on EC2', () => {
    const text = answer(throttled);
    expect(text).toContain('carries 9.52 Gbit/s for 1.01 min, then 1.24 Gbit/s.');
    expect(text).toContain('then 1.24 Gbit/s. On EC2 that would be 95.2 Gbit/s for 20.1 min, then 12.4 Gbit/s.');
    expect(text).toContain(OF_LAB);
    expect(answer(throttledResult())).not.toContain('On EC2');
  });

  test("divides rates of EC2's scale by its prices, and says so", () => {
    const [own, scaled] = [answer(throttledResult()), answer(throttled)];
    // 1.24 Gbit/s for 1.70 USD an hour.
    expect(own).toContain(' 0.729');
    expect(scaled).toContain(' 7.29');
    expect(scaled).toContain('Gbit/s per USD, at the scale of EC2');
    expect(own).not.toContain('at the scale of EC2');
  });
});

test('a report says it above everything else, and a report of EC2 never does', () => {
  const ofModel = textOf(renderReport({ ...reportInput(), results: [throttled] }));
  expect(ofModel.indexOf(OF_LAB)).toBeLessThan(ofModel.lastIndexOf('The answer'));
  expect(ofModel).toContain('Not measured on EC2 itself');
  expect(textOf(renderReport(reportInput()))).not.toContain('scaled model');
});

test("a witness names the model's baseline as what it is on EC2", () => {
  const known = { series: throttledSeries, sender: bursting };
  expect(witness(judge(known), 'published_bandwidth')?.detail).toContain(
    'the baseline of 500 Mbit/s that EC2 publishes for the sender (c5.xlarge)',
  );
  const verdict = judge({ ...known, scaledModel });
  expect(witness(verdict, 'published_bandwidth')?.detail).toContain(
    'the baseline of 500 Mbit/s for the sender (c5.xlarge; 5.00 Gbit/s at the scale of EC2)',
  );
  expect(JSON.stringify(verdict)).not.toContain('EC2 publishes');
});

test('rows, the summary and the output of the execution have the model', () => {
  expect(measurementRow(throttled)).toMatchObject({
    scaled_model: 'lab',
    scaled_model_rate_divisor: 10,
    scaled_model_time_divisor: 20,
  });
  expect(measurementRow(throttledResult())).not.toHaveProperty('scaled_model');
  const summary = runSummary({
    run: { runId: 'r', createdAt: '', expectedUsd: 1, upperUsd: 1, scaledModel, plan: { name: 'p' } },
    results: [throttled],
    pairs: [],
    endedAt: '',
    interruptedReason: null,
    earlierRuns: [],
    warnings: [],
    reportUri: '',
  });
  expect(summary).toMatchObject({ scaledModel, measurements: [{ scaledModel }] });
  expect(runOutcome(summary, '', { report: '', index: '' } as never).verdicts[1]).toContain(OF_LAB);
});
