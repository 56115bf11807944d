/** One figure has one value: in the answer's rows, the report, the page over all runs, mails, `summary.json`, expectations. */
import { heldSeconds, holdAt, type AnswerRow } from '../../../domain/model/answer';
import { runAnswer } from '../../../domain/answer/run-answer';
import { transferAnswer, transferFigures } from '../../../domain/answer/transfer';
import { figureText, hourlyPrice, inUnit, priceText, timeUnitOf } from '../../../domain/answer/words';
import { answerSection } from '../../../domain/report/answer/answer';
import { judgeExpectations } from '../../../domain/run/expectations';
import { EMPTY_HISTORY, renewedHistory } from '../../../domain/history/history';
import { runDigest } from '../../../domain/history/run-digest';
import { watchedFigures } from '../../../domain/history/changes';
import { renderIndex } from '../../../domain/report/index-page/render-index';
import { runSummary, summaryToJson } from '../../../domain/run/summary';
import { figureByKey } from '../../../domain/tables/figures';
import { answerLines } from '../../../domain/terminal/answer-lines';
import { plainMicros } from '../../../domain/terminal/verdict-line';
import { duration, gigabits, micros, threeDigits } from '../../../domain/text/format';
import type { MeasuredFigureName } from '../../../domain/model/expectation';
import type { PairCost } from '../../../domain/model/cost';
import type { MeasurementResult } from '../../../domain/model/result';
import { generatedRun } from '../../support/generated-answers';
import { PAGE_SCRIPT, rowsOf, sectionOf, textOf } from '../../support/page-markup';
import { recordedInput } from '../../support/recorded-types';

interface Measured {
  readonly results: readonly MeasurementResult[];
  readonly pairCosts?: readonly PairCost[];
}

const answerOf = ({ results, pairCosts }: Measured) => {
  const answer = runAnswer(results, pairCosts);
  if (answer === undefined) throw new Error('answer: must be there');
  return answer;
};

const recorded = recordedInput();
/** Runs of one setting and duration, whose row and whose expectations are about the same measurements. */
const generated = Array.from({ length: 60 }, (_, index) => generatedRun(1000 + index)).flatMap((run): Measured[] => {
  const { settings, unshared, results, costs, question } = run;
  const isOne = settings.length === 1 && settings[0]?.durations.length === 1 && unshared === undefined;
  return isOne && question !== 'settings' ? [{ results, pairCosts: costs }] : [];
});

/** With a plain space in `10 406`. */
const plain = (text: string) => text.replace(/\s/g, ' ');

const HELD = [1, 2, 5, 10] as const;

/** What the row has where an expectation has a value of its own: both are means over the same measurements. */
function expectableFigures(row: AnswerRow): [MeasuredFigureName, number | undefined][] {
  const dropped = row.verdicts.some(({ kind, cause }) => kind === 'drop' && cause === 'network_credits');
  const [probe] = row.roundTrips.filter(({ name }) => name !== 'under load');
  const held = HELD.map((rate): [MeasuredFigureName, number | undefined] => {
    const hold = holdAt(row, rate * 1e9);
    return [`held${rate}GbitSeconds`, hold?.kind === 'for' ? heldSeconds(hold) : undefined];
  });
  const single = (figure: AnswerRow['burst']) => (figure?.modes === undefined ? figure?.value : undefined);
  return [
    ['baselineBitsPerSecond', dropped ? single(row.sustained) : undefined],
    ['throughputBitsPerSecond.mean', single(row.meanBitsPerSecond)],
    ['burstBitsPerSecond', single(row.burst)],
    ['onsetSeconds', single(row.burstSeconds)],
    ['bucketBits', single(row.bucketBits)],
    ['rttMicros.p50', single(probe?.p50Micros ?? null)],
    ...held,
  ];
}

function expected(results: readonly MeasurementResult[], figure: MeasuredFigureName): number | null | undefined {
  const expect = [{ [figure]: { min: 1 } }] as never;
  return judgeExpectations({ plan: { expect }, results, costUsd: null })?.judged[0]?.now?.value;
}

const summaryOf = ({ results, pairCosts }: Measured) =>
  runSummary({
    run: { runId: 'r', createdAt: '2026-11-20T10:00:00.000Z', expectedUsd: 1, upperUsd: 2, plan: { name: 'p' } },
    results,
    pairs: [],
    cost: { costUsd: 1, pairs: pairCosts } as never,
    endedAt: '2026-11-20T11:00:00.000Z',
    interruptedReason: null,
    earlierRuns: [],
    warnings: [],
    reportUri: '',
  });

describe.each([
  ['recorded types', [recorded]],
  ['generated runs', generated],
] as [string, Measured[]][])('of %s', (_, runs) => {
  test('summary.json has the answer of the report', () => {
    for (const run of runs) expect(summaryOf(run).answer).toEqual(answerOf(run));
  });

  test('a mail has the figures of the rows', () => {
    for (const { rows } of runs.map(answerOf)) {
      const unit = timeUnitOf(rows);
      answerLines({ rows }).forEach((line, index) => {
        const { label, sustained, burst, burstSeconds, meanBitsPerSecond, pairHourlyUsd, ...row } = rows[index]!;
        const [probe] = row.roundTrips;
        const rates = sustained === null ? [meanBitsPerSecond] : [sustained, burstSeconds && burst];
        const figures = [
          ...rates.map((figure) => figure && `${figureText(figure, gigabits)} Gbit/s`),
          sustained && burst && burstSeconds && inUnit(burstSeconds.value, unit),
          probe?.p50Micros && `p50 ${plainMicros(probe.p50Micros.value)}`,
          probe?.p99Micros && `p99 ${plainMicros(probe.p99Micros.value)}`,
          pairHourlyUsd && hourlyPrice(pairHourlyUsd),
        ];
        expect(line).toContain(label);
        expect([label, figures.filter((text) => text && !line.includes(text))]).toEqual([label, []]);
      });
    }
  });

  test('the page over all runs has the figures of a single run', () => {
    for (const run of runs) {
      const { rows, question } = answerOf(run);
      if (question !== 'types') continue;
      const digest = runDigest(summaryToJson(summaryOf(run)), undefined);
      const history = renewedHistory(EMPTY_HISTORY, [digest], () => true);
      const where = { region: 'eu-central-1', bucketName: 'b', renewedAt: '2026-11-21T08:00:00Z', unreadable: [] };
      const page = renderIndex({ history, watched: watchedFigures(history), ...where }, PAGE_SCRIPT);
      const printed = rowsOf(sectionOf(page, 'types')).map(plain);
      for (const row of rows) {
        const line = `${printed.find((text) => text.startsWith(`${row.clientType} `)) ?? ''} |`;
        const figures = [
          row.sustained?.bound === 'measured' && figureText(row.sustained, gigabits),
          row.burst && figureText(row.burst, gigabits),
          row.burstSeconds && figureText(row.burstSeconds, figureByKey('onsetSeconds').format),
          ...row.holds.map(({ kind, seconds }) => (seconds === null ? kind : duration(seconds))),
          row.pairHourlyUsd && priceText(row.pairHourlyUsd),
          gigabits(row.sustainedBitsPerSecondPerUsd),
        ];
        expect([row.label, line, figures.filter((text) => text && !line.includes(` ${plain(text)} `))]).toEqual([
          row.label,
          line,
          [],
        ]);
      }
    }
  });

  test('the report prints the figures of the rows', () => {
    for (const run of runs) {
      const { rows, askedBitsPerSecond } = answerOf(run);
      // The table has the highest of many rates.
      const rates = askedBitsPerSecond.slice(-4);
      const unit = timeUnitOf(rows);
      const page = answerSection({ ...run, seriesOf: new Map() })?.html.text ?? '';
      const printed = [...page.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => ` ${plain(textOf(row))} `);
      for (const row of rows) {
        const line = printed.find((text) => new RegExp(`^\\s*${row.label} `).test(text)) ?? '';
        const figures = [
          ...[row.sustained, row.burst, row.bucketBits].map((figure) => figure && gigabits(figure.value)),
          row.burstSeconds && inUnit(row.burstSeconds.value, unit),
          ...row.holds
            .filter(({ bitsPerSecond }) => rates.includes(bitsPerSecond))
            .map((hold) => (hold.seconds === null ? hold.kind : inUnit(hold.seconds, unit))),
          // Of several tools, protocols or sizes, the table has the first.
          ...row.roundTrips
            .filter(({ name }) => name === rows.flatMap(({ roundTrips }) => roundTrips)[0]?.name)
            .map(({ p50Micros }) => p50Micros && micros(p50Micros.value)),
          row.pairHourlyUsd && threeDigits(row.pairHourlyUsd),
          gigabits(row.sustainedBitsPerSecondPerUsd),
        ];
        expect(figures.filter((text) => text && !line.includes(` ${plain(text)} `))).toEqual([]);
      }
    }
  });

  test('expectations are judged by the figures of the rows', () => {
    const different = runs.flatMap((run) =>
      answerOf(run).rows.flatMap((row) => {
        const own = run.results.filter(({ measurementId }) => row.measurementIds.includes(measurementId));
        return expectableFigures(row).flatMap(([name, value]) => {
          const judged = value === undefined ? undefined : expected(own, name);
          if (value === undefined || (judged && Math.abs(judged / value - 1) < 1e-9)) return [];
          return [`${row.label} ${name}: ${judged} instead of ${value}`];
        });
      }),
    );
    expect(different).toEqual([]);
  });
});

/** Sends second by second from full credits: what a second may carry is the burst, until the bucket is empty. */
function simulatedSeconds(bits: number, burst: number, baseline: number, bucket: number): number {
  const step = 0.05;
  let [sent, credits, seconds] = [0, bucket, 0];
  while (sent < bits) {
    const carried = Math.min(burst * step, credits + baseline * step, bits - sent);
    credits = Math.min(bucket, credits + baseline * step - carried);
    sent += carried;
    seconds += step;
  }
  return seconds;
}

test('2 TB on each recorded type take as long as a simulated bucket says', () => {
  const bits = 16e12;
  for (const row of answerOf(recorded).rows) {
    const figures = transferFigures(row);
    if (!figures || !row.burst || !row.sustained || !row.bucketBits)
      throw new Error(`${row.label}: must have a bucket`);
    const { lowSeconds, highSeconds, throttled } = transferAnswer(figures, bits);
    const times = (row.burst.modes ?? [row.burst.value]).map((burst) =>
      simulatedSeconds(bits, burst, row.sustained!.value, row.bucketBits!.value),
    );
    expect([row.label, Math.min(...times) >= 0.97 * lowSeconds, Math.max(...times) <= 1.03 * highSeconds]).toEqual([
      row.label,
      true,
      true,
    ]);
    const volume = row.burst.value * row.burstSeconds!.value;
    expect([row.label, throttled]).toEqual([
      row.label,
      volume < 0.85 * bits ? 'yes' : volume > 1.2 * bits ? 'no' : expect.any(String),
    ]);
    // One of the two pairs of c5.4xlarge had no burst.
    const isMixed = row.label === 'c5.4xlarge';
    expect([row.label, highSeconds / lowSeconds < 1.5]).toEqual([row.label, !isMixed]);
    if (isMixed) expect(highSeconds).toBeCloseTo(bits / row.sustained.value, 6);
  }
});
