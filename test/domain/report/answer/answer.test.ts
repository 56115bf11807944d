import { answerSection } from '../../../../domain/report/answer/answer';
import { alikeRates } from '../../../../domain/run/type-rows';
import type { InstanceTypeFacts } from '../../../../domain/model/instance-type';
import type { MeasurementResult } from '../../../../domain/model/result';
import { pairCost } from '../../../support/costs';
import { loadedResult } from '../../../support/compared-results';
import { facts, GIGA, judge } from '../../../support/evidence';
import {
  failedResult,
  latencyResult,
  published,
  steadyResult,
  steadyVerdict,
  throttledResult,
} from '../../../support/measurement-results';
import { textOf } from '../../../support/page-markup';
import { recordedInput } from '../../../support/recorded-types';
import { recordedRun } from '../../../support/recorded-run';
import { stretches } from '../../../support/rates';
import { renderReport } from '../../../support/report-input';

const words = (text = '') => textOf(text.replace(/<svg[\s\S]*?<\/svg>/g, ''));

const answer = (results: readonly MeasurementResult[], pairCosts = [pairCost()]) =>
  words(answerSection({ results, pairCosts, seriesOf: new Map() })?.html.text);

const tableRows = (page = '') =>
  [...page.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].slice(1).map(([, row]) => words(row).trim());

describe('the answer over recordings of six types', () => {
  const input = recordedInput();
  const section = answerSection(input);
  const text = words(section?.html.text);

  test('says which type holds 5 Gbit/s longest, and longest per dollar', () => {
    expect(text).toContain(
      '5 Gbit/s : for as long as you like, cheapest with c6gd.4xlarge (1.23 USD an hour); of the others, c6gd.2xlarge ' +
        'holds it longest, also per dollar: 53.2 min for 0.61 USD an hour.',
    );
  });

  test('says what sustains the most, and the most per dollar', () => {
    expect(text).toContain(
      'c5.4xlarge sustains the most: 5.01 Gbit/s. Per dollar, c5.large does: 4.42 Gbit/s for each USD that the pair costs an hour.',
    );
  });

  test('has a row for each type, sorted by what it sustains', () => {
    const rows = tableRows(section?.html.text);
    expect(rows.map((row) => row.split(' ')[0])).toEqual([
      'c5.4xlarge',
      'c6gd.4xlarge',
      'c5.2xlarge',
      'c6gd.2xlarge',
      'c5.xlarge',
      'c5.large',
    ]);
    // c5.2xlarge: sustained, burst, held 1, 2, 5 and 10 Gbit/s, bucket, price, Gbit/s per USD.
    expect(rows[2]).toMatch(/2\.51 .*9\.69 .*always always 50\.7 74\.6\/USD 17\.6 25\.9\/USD 7 581 .*0\.680 3\.69$/);
    // Three of seven repetitions of c5.large reached 5 Gbit/s only.
    expect(rows[5]).toContain('5.02 or 9.69');
    expect(rows[5]).toMatch(/ 4\.56 4\.56–\d\.\d\d 4 of 7/);
    const note = '1 of 2: so it came out in so many of the repetitions, and differently in the others.';
    expect(text).toContain(note);
    expect(answer([throttledResult()])).not.toContain(note);
  });

  test('has the range of a hold time over the repetitions that differ, and says that it is no interval', () => {
    const rows = tableRows(section?.html.text);
    // 8.72 min is the second of the four repetitions of c5.xlarge.
    expect(rows[4]).toMatch(/ 8\.72 8\.69–8\.86 25\.6\/USD/);
    // The only repetition of c5.2xlarge has no range, and the one of c5.4xlarge that fell has none either.
    expect(rows[2]).not.toMatch(/50\.7 [\d.]+–/);
    expect(text).toContain('Where repetitions differ, their shortest and longest time stand below; the 95 % interval');
    const single = answer([throttledResult()]);
    expect(single).not.toContain('shortest and longest time');
  });

  test('comes before everything else, with its charts', () => {
    const page = renderReport(input);
    expect(page.indexOf('id="answer"')).toBeGreaterThan(0);
    expect(page.indexOf('id="answer"')).toBeLessThan(page.indexOf('class="contents"'));
    expect(section?.html.text.match(/<svg /g)).toHaveLength(6);
  });

  test('draws one measurement of each type on the same axes, each named beside its end', () => {
    const [, chart = ''] =
      /aria-label="Throughput over time of one[^"]*"([\s\S]*?)<\/svg>/.exec(section?.html.text ?? '') ?? [];
    const names = [...chart.matchAll(/<tspan[^>]*>\s*(c\d[^<]*)<\/tspan>/g)].map(([, name]) => name);
    expect(names).toHaveLength(6);
    expect(new Set(names).size).toBe(6);
  });

  test('leaves out what depends on a price where there is none', () => {
    const withoutPrices = words(answerSection({ ...input, pairCosts: [] })?.html.text);
    expect(withoutPrices).not.toContain('USD');
    expect(withoutPrices).toContain('of the others, c6gd.2xlarge holds it longest, for 53.2 min');
  });
});

describe('a sentence for each of few pairs', () => {
  test('names the burst, how long it lasted, and what was left', () => {
    expect(answer([throttledResult()])).toContain(
      'c5.xlarge → c5.9xlarge carries 9.52 Gbit/s for 1.01 min, then 1.24 Gbit/s.',
    );
  });

  test('names the tail of the round trips beside the load', () => {
    expect(answer([loadedResult()])).toMatch(/Beside the load, 99 of 100 round trips took at most \d+ µs\./);
  });

  test('does not promise a rate that the type is not published to sustain', () => {
    const censored = steadyResult({
      verdict: {
        ...steadyVerdict,
        bucketBitsAtLeast: 1500e9,
        holdTimes: [{ bitsPerSecond: 9.48e9, seconds: null, atLeastSeconds: 1500 / 8.23 }],
      },
      publishedClient: published('c5.xlarge', 1.25e9, 10e9),
    });
    const text = answer([censored]);
    expect(text).toContain('carried 9.48 Gbit/s for all of 3.00 min without a drop. It is published to sustain less');
    expect(text).toContain('≤ 9.48');
    // 1,500 Gbit at 5 Gbit/s above a baseline of 1.25 last 400 s, which is 6.67 min.
    expect(text).toContain('≥ 6.67');
  });

  describe('of a series that is too short to judge', () => {
    const fallen = stretches([9, 10 * GIGA], [1, 7 * GIGA], [2, 4 * GIGA]);
    const publishedAs = (facts: InstanceTypeFacts) => {
      const verdict = judge({ series: fallen, sender: facts, receiver: facts });
      return steadyResult({ verdict, publishedClient: facts, publishedServer: facts });
    };

    test.each([
      ['credits', facts('c5.xlarge', 0.5, 10)],
      ['no credits', facts('c5.18xlarge', 10, 10)],
    ])('is that of its verdict, which names a fall at its end; the type has %s', (_, type) => {
      const result = publishedAs(type);
      expect(result.verdict?.kind).toBe('steady');
      const text = answer([result]);
      expect(text).toContain(`c5.9xlarge : ${result.verdict?.explanation}.`);
      expect(text).toContain(
        'without a drop beyond doubt (the last 3 samples are at 4.98 Gbit/s, 50 % below the first 9)',
      );
      expect(text).not.toMatch(
        /without a drop(?! beyond doubt)|no drop was seen(?! beyond doubt)|from beginning to end/,
      );
    });

    test('names the repetition that it is of', () => {
      const result = publishedAs(facts('c5.xlarge', 0.5, 10));
      const text = answer([result, { ...result, repetition: 2 }]);
      expect(text).toContain(`c5.9xlarge , the first of 2 repetitions: ${result.verdict?.explanation}.`);
    });
  });

  test('says at what rate the load was offered, where that was all that the pair was asked for', () => {
    const text = answer([steadyResult({ targetBitsPerSecond: 9_500_000_000 })]);
    expect(text).toContain('carried 9.48 Gbit/s, which is all of the 9.50 Gbit/s that was offered');
    // A type that carries all of what is offered may carry more: 10 Gbit/s is no rate that it never reaches.
    expect(text).not.toContain('never');
  });

  test('says what limited the rate', () => {
    const capped = steadyResult({ verdict: { ...steadyVerdict, cause: 'single_flow_cap' } });
    expect(answer([capped])).toContain('carries 9.48 Gbit/s, the limit of a single flow.');
  });

  test('a run of round trips alone has their tail', () => {
    const text = answer([latencyResult()]);
    expect(text).toContain('99 of 100 round trips took at most 201 µs');
    expect(text).toContain('p99 without a load, µs');
    expect(text).not.toContain('Sustained');
  });
});

test('a verdict of little confidence is named, by the middle one of the repetitions', () => {
  const sure = throttledResult();
  const { verdict } = sure;
  const unsure = (...confidences: number[]) =>
    confidences.map((confidence, index) => ({
      ...sure,
      repetition: index + 1,
      verdict: verdict && { ...verdict, confidence },
    }));
  expect(answer(unsure(0.59, 0.2, 0.9))).toMatch(
    /Not certain: [^ ]+ → [^ ]+ \(59 % confidence\)\. The witnesses in the card say why\./,
  );
  expect(answer(unsure(0.6))).not.toContain('Not certain');
});

describe('what a measurement does not show', () => {
  test('is no row where nothing was measured', () => {
    expect(answerSection({ results: [failedResult()], seriesOf: new Map() })).toBeUndefined();
  });

  test('is a dash: a series that is too short has neither a sustained rate nor a hold time', () => {
    const short = steadyResult({ verdict: { ...steadyVerdict, kind: 'insufficient', confidence: null } });
    const [row] = tableRows(answerSection({ results: [short], pairCosts: [], seriesOf: new Map() })?.html.text);
    expect(row).toBe('c5.9xlarge insufficient');
  });

  test('without published figures, a steady rate lasts as long as it was seen, and not always', () => {
    const unknown = steadyResult({ publishedClient: undefined, publishedServer: undefined });
    expect(answer([unknown])).toContain('≥ 180');
    expect(answer([steadyResult()])).toContain('always');
  });
});

test('what is the same of rates beside each other is said once, in the sentences and in the table', () => {
  const { text = '' } = answerSection(recordedRun(60))?.html ?? {};
  const [said, headings] = [/<ul class="answers">.*?<\/ul>/s, /<thead>.*?<\/thead>/s].map((part) =>
    words(part.exec(text)?.[0]),
  );
  expect(said).toContain(' 0.1 or 0.2 Gbit/s : for as long as you like, cheapest with c5.large');
  expect(headings).toContain('Holds 0.1 or 0.2 Gbit/s, min');
  for (const each of [said, headings]) {
    expect(each).toContain(' 0.5 Gbit/s');
    expect(each).not.toMatch(/(?<!or )0\.[12] Gbit/);
  }
});

test.each([
  [
    ['a', 'b', 'a'],
    ['1 Gbit/s', '2 Gbit/s', '5 Gbit/s'],
  ],
  [
    ['a', 'a', 'b'],
    ['1 or 2 Gbit/s', '5 Gbit/s'],
  ],
  [['a', 'a', 'a'], ['1, 2 or 5 Gbit/s']],
])('1, 2 and 5 Gbit/s, of which %j is said, are %j', (texts, names) => {
  const rates = [1e9, 2e9, 5e9];
  expect(alikeRates(rates, (rate) => texts[rates.indexOf(rate)]).map(({ name }) => name)).toEqual(names);
});

test('sentences name a pair by its types alone, and by more only where another row has the same types', () => {
  const page = renderReport(recordedRun(60));
  const [, sentences = ''] = /<h2[^>]*>The answer<\/h2>.*?<ul[^>]*>(.*?)<\/ul>/s.exec(page) ?? [];
  const names = [...sentences.matchAll(/<b>(.*?)<\/b>/g)].map(([, name]) => name);
  expect(names).toContain('c5.4xlarge');
  expect(names.filter((name) => name?.startsWith('c5.xlarge, '))).not.toEqual([]);
  expect(names.filter((name) => name?.startsWith('c5.4xlarge, '))).toEqual([]);
});
