import { answerSection } from '../../../../domain/report/answer/answer';
import { runAnswer } from '../../../../domain/answer/run-answer';
import { alikeRates } from '../../../../domain/answer/words';
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

  test('says which types hold 5 Gbit/s, and does not rank those whose ranges overlap', () => {
    expect(text).toContain(
      '5 Gbit/s: c5.4xlarge and c6gd.4xlarge hold it indefinitely, and c6gd.4xlarge costs least (1.23 USD an ' +
        'hour); otherwise, c6gd.2xlarge and c5.2xlarge hold it longest: 53.2 and 50.7 min.',
    );
  });

  test('recommends a type for a rate only if nine in ten of its pairs reached it', () => {
    const sentence = /10 Gbit\/s: .*?reached it\./.exec(text)?.[0] ?? '';
    expect(sentence).toContain('c6gd.4xlarge holds it longest, for 34.1 min (27.6 to 41.9 min with another pair)');
    expect(sentence).toContain('only 1 of 2 pairs of c5.4xlarge reached it; only 4 of 7 pairs of c5.large reached it.');
  });

  test('says what sustains the most, and the most per dollar', () => {
    expect(text).toContain(
      'c5.4xlarge and c6gd.4xlarge sustain the most: 5.02 and 4.97 Gbit/s. c5.large gives the most for the price: ' +
        '4.42 Gbit/s per USD/hour.',
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
    // c5.2xlarge: burst, burst lasts, sustained, held 1, 2, 5 and 10 Gbit/s, bucket, price, Gbit/s per USD.
    expect(rows[2]).toMatch(
      /9\.69 4\.97–10\.0 17\.6 15\.6–19\.9 2\.51 .* always always 50\.7 44\.9–57\.3 17\.6 .* 7 581 .* 0\.680 3\.69$/,
    );
    // Three of seven repetitions of c5.large reached 5 Gbit/s only.
    expect(rows[5]).toContain('5.02 or 9.69');
    expect(rows[5]).toMatch(/ 4\.58 4\.03–5\.24 4 of 7 pairs/);
    // Only the range of the bucket tells how long another pair holds a rate.
    expect(rows[4]).toMatch(/ 8\.75 7\.69–10\.0 /);
  });

  test('comes before everything else, with its charts', () => {
    const page = renderReport(input);
    expect(page.indexOf('id="answer"')).toBeGreaterThan(0);
    expect(page.indexOf('id="answer"')).toBeLessThan(page.indexOf('id="measurements"'));
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
    expect(withoutPrices).toContain('otherwise, c6gd.2xlarge and c5.2xlarge hold it longest: 53.2 and 50.7 min');
  });
});

describe('a sentence for each of few pairs', () => {
  test('names the burst, how long it lasted, and what was left', () => {
    expect(answer([throttledResult()])).toContain(
      'c5.xlarge → c5.9xlarge carries 9.52 Gbit/s for 1.01 min, then 1.24 Gbit/s.',
    );
  });

  test('names the tail of the round trips beside the load', () => {
    expect(answer([loadedResult()])).toMatch(/Under load, 99 of 100 round trips took at most \d+ µs\./);
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
    expect(text).toContain(
      'carried 9.48 Gbit/s for all of 3.00 min without a drop. AWS publishes a lower sustained rate',
    );
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
      expect(text).toContain(`c5.9xlarge: ${result.verdict?.explanation}.`);
      expect(text).toContain('without a clear drop (the last 3 samples are at 4.98 Gbit/s, 50 % below the first 9)');
      expect(text).not.toMatch(/without a drop|no drop was seen|from beginning to end/);
    });

    test('names the repetition that it is of', () => {
      const result = publishedAs(facts('c5.xlarge', 0.5, 10));
      const text = answer([result, { ...result, repetition: 2 }]);
      expect(text).toContain(`c5.9xlarge, the first of 2 measurements: ${result.verdict?.explanation}.`);
    });
  });

  test('says at what rate the load was offered, where that was all that the pair was asked for', () => {
    const text = answer([steadyResult({ targetBitsPerSecond: 9_500_000_000 })]);
    expect(text).toContain('carried 9.48 Gbit/s, which is all of the offered load of 9.50 Gbit/s');
    // A type that carries all of what is offered may carry more: 10 Gbit/s is no rate that it never reaches.
    expect(text).not.toContain('never');
  });

  test('says what limited the rate', () => {
    const capped = steadyResult({ verdict: { ...steadyVerdict, cause: 'single_flow_cap' } });
    expect(answer([capped])).toContain('carries 9.48 Gbit/s, the limit of a single flow.');
  });

  test('a run of round trips alone has their tail', () => {
    const text = answer([latencyResult()]);
    expect(text).toContain('half of the round trips took at most 115 µs, and 99 of 100 at most 201 µs');
    expect(text).toContain('Round trips: sockperf, TCP, messages of 64 bytes');
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
  expect(answer(unsure(0.59, 0.2, 0.9))).toMatch(/Not certain: [^ ]+ → [^ ]+ \(59 % confidence\)\. /);
  expect(answer(unsure(0.6))).not.toContain('Not certain');
});

describe('what a measurement does not show', () => {
  test('is no row where nothing was measured', () => {
    expect(answerSection({ results: [failedResult()], seriesOf: new Map() })).toBeUndefined();
  });

  test('is left out: a series that is too short has a mean, but neither a sustained rate nor a hold time', () => {
    const short = steadyResult({ verdict: { ...steadyVerdict, kind: 'insufficient', confidence: null } });
    const [row] = tableRows(answerSection({ results: [short], pairCosts: [], seriesOf: new Map() })?.html.text);
    expect(row).toBe('c5.9xlarge 1 pair insufficient 9.48 on average');
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
  const rates = (among = '') => among.match(/\d[\d., or]* Gbit\/s(?=[:,])/g);
  expect(rates(said)).toEqual([
    '0.1 Gbit/s',
    '0.2 Gbit/s',
    '0.5 Gbit/s',
    '1 Gbit/s',
    '2 Gbit/s',
    '5 Gbit/s',
    '10 Gbit/s',
  ]);
  expect(rates(headings)).toEqual(rates(said)?.slice(-4));
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
  const sentences = runAnswer(recordedRun(60).results)?.sentences.join(' ');
  expect(sentences).toContain('c5.4xlarge and c5.2xlarge hold it');
  expect(sentences).toContain('c5.xlarge, displaced, iperf3');
});
