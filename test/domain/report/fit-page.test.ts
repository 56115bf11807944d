/** The page of `npm run fit`: its figures are those of the terminal, and its picture is about the types that it names. */
import { namedTypes } from '../../../bin/published-types';
import { examinedTypes } from '../../../domain/fit/examined-type';
import { fitPicture } from '../../../domain/fit/picture';
import type { Trace } from '../../../domain/fit/traces/trace';
import { fitTransfer } from '../../../domain/fit/transfer';
import { fitTypes } from '../../../domain/fit/type-fit';
import { pricesOf } from '../../../domain/forecast/prices/price-table';
import { envelope } from '../../../domain/report/charts/downsampling';
import { renderFit, renderTransfer } from '../../../domain/report/fit-page';
import { answerText, fitAnswer, transferAnswer } from '../../../domain/terminal/fit-table';
import { rowsOf, sectionOf, textOf } from '../../support/page-markup';
import { averages, generatedCases } from '../fit/generated-days';

const { prices } = pricesOf('us-east-1');
const typesOf = (...names: string[]) => examinedTypes(namedTypes(names), prices).examined;

function traceOf(gigabits: readonly (number | null)[], seconds: number, instance = 'a host'): Trace {
  const intervals = gigabits.flatMap((rate, index) =>
    rate === null ? [] : [{ startSeconds: 1e9 + index * seconds, lengthSeconds: seconds, bitsPerSecond: rate * 1e9 }],
  );
  return { series: [{ instance, direction: 'out', intervals }], startSeconds: 1e9, read: [] };
}

function pageOf(trace: Trace, ...names: string[]) {
  const fits = fitTypes(trace, typesOf(...names));
  const answer = fitAnswer(fits, ['A note.']);
  const picture = fitPicture(trace, fits);
  return { fits, picture, text: answerText(answer), page: renderFit(answer, picture) };
}

/** Below the headings, as the terminal has them: `14 min 44 s (10 min to 20 min)`. */
const tableOf = (page: string) =>
  rowsOf(sectionOf(page, 'types')).map((row) =>
    row
      .split(' | ')
      .filter((cell) => cell !== '–')
      .map((cell) => cell.replace(/ \/ (.*)$/, ' ($1)'))
      .join(' '),
  );
const lineOf = (text: string) => text.replace(/\s+/g, ' ').trim();
const sentenceOf = (page: string) => textOf(/<p class="answer">.*?<\/p>/s.exec(page)![0]);
const reasonsOf = (page: string) =>
  [...sectionOf(page, 'answer').matchAll(/<li>(.*?)<\/li>/gs)].map(([, item]) => textOf(item));

/** 9.254 Gbit/s for half an hour, then none for another half. */
const COPY = [...Array<number>(30).fill(9.254), ...Array<number>(30).fill(0)];

describe('a copy', () => {
  const { fits, picture, text, page } = pageOf(traceOf(COPY, 60), 'c5', 'c4', 'm6i.large');

  test('the sentence and every row of the table are the terminal’s', () => {
    const lines = text.split('\n');
    expect(sentenceOf(page)).toBe(lines[0]);
    const [headings, ...rows] = tableOf(page);
    const from = lines.findIndex((line) => line.startsWith('-----'));
    expect(lineOf(headings!).toLowerCase()).toBe(lineOf(lines[from - 1]!).toLowerCase());
    expect(rows.length).toBeGreaterThan(10);
    expect(rows).toEqual(lines.slice(from + 1, from + 1 + rows.length).map(lineOf));
    expect(lines[from + 1 + rows.length]).toBe('');
  });

  test('every type has its own figures', () => {
    const rows = tableOf(page);
    for (const { instanceType, throttled, usdPerMonth, series } of fits) {
      const row = rows.find((each) => each.startsWith(`${instanceType} ${throttled}`));
      if (row === undefined) continue;
      expect(row).toContain(` ${usdPerMonth!.toFixed(0)} `);
      const needed = Math.round(series[0].neededBits.value / 1e9);
      if (needed >= 1000) expect(row.replaceAll(/(\d) (\d{3})\b/g, '$1$2')).toContain(` ${needed} (`);
    }
    // 4,445 Gbit at 8 Gbit/s above the baseline.
    expect(rows.find((row) => row.startsWith('c5.xlarge '))).toMatch(/^c5\.xlarge certainly out 9 min 16 s \(/);
  });

  test('the picture is about the two types that are described, and both have their source', () => {
    expect(picture.candidates.map(({ fit }) => fit.instanceType)).toEqual(['c5.4xlarge', 'c5.2xlarge']);
    // c5.2xlarge has 7,606 Gbit for what is above its 2.508 Gbit/s.
    expect(picture.firstThrottleSeconds).toBeCloseTo(7606 / (9.254 - 2.508), 3);
    const [, holds, throttled, sources, ...more] = reasonsOf(page);
    expect(more.slice(0, -2)).toEqual([]);
    expect(holds).toMatch(
      /^c5\.4xlarge is never throttled: the traffic needs at most [\d ]+ Gbit of credits, and it has at least 9 484 Gbit\.$/,
    );
    expect(throttled).toMatch(
      /^c5\.2xlarge is certainly throttled, first after 18 min 47 s: .* and it has at most 8 595 Gbit\.$/,
    );
    expect(sources).toBe(
      'Sources: public recordings of c5.4xlarge (NSDI, 2020-02); public recordings of c5.2xlarge (NSDI, 2020-02).',
    );
    const chart = /<div class="wide">.*?<\/svg>/s.exec(page)![0];
    expect(textOf(chart)).toMatch(
      /the trace; baselines: . c5\.4xlarge, . c5\.2xlarge.* credits left, Gbit: . c5\.4xlarge, . c5\.2xlarge/,
    );
    expect(textOf(page)).toContain(
      'The trace: a host, out. c5.2xlarge is first throttled at the vertical line, as expected.',
    );
  });

  test('nothing runs in the page, and nothing is loaded', () => {
    expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:"`);
    expect(page).not.toMatch(/<script|<link|https?:\/\/(?!www\.w3\.org)/);
    expect(textOf(sectionOf(page, 'notes'))).toMatch(
      /A note\. NSDI, 2020-02: public recordings .* EC2 guide, \d{4}-\d\d: /,
    );
  });
});

test.each([5, 1])(
  'on generated days of averages over %i min, the drawn credits end when the type is throttled',
  (minutes) => {
    let endedCount = 0;
    for (const { instanceType, minutes: rates } of generatedCases(20261128, 10)) {
      const intervals = averages(rates, minutes);
      const trace: Trace = { series: [{ instance: 'a', direction: 'in', intervals }], startSeconds: 0, read: [] };
      const fits = fitTypes(trace, typesOf(instanceType));
      const { candidates, firstThrottleSeconds: first, lastSeconds } = fitPicture(trace, fits);
      const [{ creditBits }] = candidates as [(typeof candidates)[number]];
      expect(creditBits[0]).toEqual([0, fits[0]!.bucketBits!.value]);
      expect(creditBits.at(-1)![0]).toBeCloseTo(lastSeconds, 6);
      const [{ firstThrottleSeconds, isAbovePeak }] = fits[0]!.series;
      const figure = firstThrottleSeconds?.value ?? null;
      expect(first).toBe(figure);
      const endOf = (path: typeof creditBits) => path.find(([, bits]) => bits === 0)?.[0] ?? null;
      if (figure === null) {
        expect(endOf(creditBits)).toBeNull();
      } else if (isAbovePeak) {
        expect(endOf(creditBits) ?? Infinity).toBeGreaterThanOrEqual(figure);
      } else {
        endedCount += 1;
        expect(endOf(creditBits)).toBeCloseTo(figure, 6);
        // A long path is drawn in columns of four pixels.
        expect(Math.abs(endOf(envelope(creditBits))! - figure)).toBeLessThan(lastSeconds / 222);
        expect(envelope(creditBits).length).toBeLessThan(900);
      }
    }
    expect(endedCount).toBeGreaterThan(10);
  },
);

test.each([
  [20, 10, 'minutes'],
  [24, 3600, 'hours'],
  [720, 3600, 'days'],
  [2, 30, 'seconds'],
])('%i intervals of %i s are shown in %s', (count, seconds, unit) => {
  const { page } = pageOf(traceOf(Array<number>(count).fill(0.1), seconds), 'c5.large');
  expect(textOf(page)).toContain(`${unit} since the beginning of the trace`);
});

test('types without known credits have no path of them, and a gap breaks the trace', () => {
  const { picture, page } = pageOf(traceOf([1, null, 4], 60), 'm6i.large');
  expect(picture.candidates).toEqual([]);
  expect(picture.bitsPerSecond.map(([at, rate]) => [at, rate === null ? null : rate / 1e9])).toEqual([
    [0, 1],
    [60, 1],
    [60, null],
    [120, null],
    [120, 4],
    [180, 4],
  ]);
  expect(textOf(page)).not.toContain('credits left, Gbit');
  const flat = pageOf(traceOf([6, 6], 60), 'c5.9xlarge', 'c5.large');
  expect(flat.picture.candidates.map(({ fit, creditBits }) => [fit.instanceType, creditBits.length > 0])).toEqual([
    ['c5.large', true],
  ]);
  expect(reasonsOf(pageOf(traceOf([6, 6], 60), 'c5.9xlarge').page)[1]).toBe(
    'c5.9xlarge is never throttled: its baseline of 12.0 Gbit/s is enough.',
  );
});

test('of several hosts, the one that decides for the throttled type is drawn', () => {
  const quiet = traceOf(
    COPY.map((rate) => rate / 9),
    60,
    'quiet',
  ).series;
  const trace: Trace = { ...traceOf(COPY, 60, 'busy <b>'), read: [] };
  const { picture, page } = pageOf({ ...trace, series: [...quiet, ...trace.series] }, 'c5');
  expect([picture.instance, picture.bitsPerSecond[0]![1]]).toEqual(['busy <b>', 9.254e9]);
  expect(page).toContain('busy &lt;b&gt;');
  expect(page).not.toContain('<b>');
});

test('a transfer has its sentence, its pace and the terminal’s rows, and no picture', () => {
  const transfer = { bits: 16e12, withinSeconds: 2400 };
  const fits = fitTransfer(transfer.bits, transfer.withinSeconds, typesOf('c5', 'm6i.large'));
  const answer = transferAnswer(fits, transfer, []);
  const page = renderTransfer(answer);
  const lines = answerText(answer).split('\n');
  expect(sentenceOf(page)).toBe(lines[0]);
  expect(textOf(sectionOf(page, 'answer'))).toContain(lines[1]);
  expect(lines[1]).toContain('At its safe pace');
  const [, ...rows] = tableOf(page);
  expect(rows).toEqual(lines.slice(5, 5 + fits.length).map(lineOf));
  expect(page).not.toContain('<svg');
});
