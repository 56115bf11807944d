/** Cards: one for each cell, with its repetitions inside. */
import { repeatedHeadline } from '../../../domain/report/cards/repeated-headline';
import { textOf } from '../../support/page-markup';
import { renderReport, reportInput } from '../../support/report-input';

const report = renderReport(reportInput());

describe('a card', () => {
  const cards = report.split(/(?=<article)/);
  /** The card of a single measurement, or the part of a card of repetitions that is about one of them. */
  const cardOf = (id: string) => {
    const [card = ''] = cards.filter((each) => each.includes(`<div id="${id}"`));
    const bodies = (/^.*?<\/article>/s.exec(card)?.[0] ?? '').split(/(?=<div id="[^"]*" class="body">)/);
    return bodies.length === 2 ? bodies.join('') : (bodies.find((each) => each.startsWith(`<div id="${id}"`)) ?? '');
  };
  const words = (id: string) => textOf(cardOf(id).replace(/<(table|svg)\b.*?<\/\1>/gs, '…'));

  test.each([
    [
      'p0001-m01',
      'c5.xlarge ⇄ c5.9xlarge median 115, p99 201 µs p0001-m01: same zone (eu-central-1a), no placement group, private address; sockperf: TCP, messages of 64 bytes, 30 s no allowance of either host held a message back Shortest 92.1 µs Median 115 µs Mean 119 µs p90 133 µs p99 201 µs p99.9 403 µs p99.99 1 180 µs Longest 4 024 µs Round trips 252 718 Dropped 1',
    ],
    [
      'p0001-m02',
      'p0001-m02 drop, network credits 9.52, then 1.24 Gbit/s from 60.4 s on same zone (eu-central-1a) 9.52 Gbit/s for 60.4 s, then 1.24 Gbit/s: the network credits were spent. … … Burst, 95 % interval 9.52 Gbit/s, 9.49 to 9.55 Baseline, 95 % interval 1.24 Gbit/s, 1.23 to 1.25 Onset, 95 % interval 60.4 s, 60.3 to 60.6 Bucket, other pairs 500 Gbit, 440 to 569 Credits of sender: client, c5.xlarge Confidence 97 % Mean 4.02 Gbit/s Median, 5th to 95th percentile 1.25, 1.22 to 9.54 Gbit/s Retransmits 1 234 ENA allowance exceeded bw out (client) 215 292 packets Witnesses ✓ series one abrupt fall to 13 % that lasts ✓ ena allowance counters bw_out_allowance_exceeded grows from second 60 ✓ published bandwidth baseline 1.24 of 1.25 Gbit/s, burst 9.52 of 10.0 Gbit/s – retransmits few before and after How long can a rate be held? … 1.24 Gbit/s can be held for as long as you like. Empty credits are full again after 403 s idle (398 s to 409 s), or 807 s at half the baseline. Causes Shown : network credits (the 1.24 Gbit/s after the fall are a baseline) the first interval is 1.01 s long',
    ],
    [
      'p0002-m03',
      'c5.9xlarge ⇄ c5.9xlarge steady 3.98 Gbit/s p0002-m03: same zone (eu-central-1a), no placement group, private address; iperf3: UDP, 8 streams, 4.00 Gbit/s offered, bidirectional, 3 min Steady at 9.48 Gbit/s over the whole 180 s. … … Mean 3.98 Gbit/s Confidence 99 % Mean, forward 3.98 Gbit/s Median, 5th to 95th percentile, forward 3.99, 3.91 to 4.00 Gbit/s Lost, forward 321 of 5 000 000 packets Jitter, forward 11.5 µs Mean, reverse 3.58 Gbit/s Median, 5th to 95th percentile, reverse 3.59, 3.51 to 3.60 Gbit/s Lost, reverse 4 321 of 4 900 000 packets Jitter, reverse 17.3 µs Witnesses ✓ series one level from the first second to the last',
    ],
    ['p0003-m02', 'p0003-m02 failed same zone failed: iperf3: error - unable to connect to server: Connection refused'],
    [
      'p0004-m02',
      'p0004-m02 drop, network credits truncated 9.52, then 1.24 Gbit/s from 60.4 s on same zone (eu-central-1a) 9.52 Gbit/s for 60.4 s, then 1.24 Gbit/s: the network credits were spent. truncated: client host i-0aaaaaaaaaaaaaaa1 was terminated after 118 s … … Burst, 95 % interval 9.52 Gbit/s, 9.49 to 9.55 Baseline, 95 % interval 1.24 Gbit/s, 1.23 to 1.25 Onset, 95 % interval 60.4 s, 60.3 to 60.6 Bucket, other pairs 500 Gbit, 440 to 569 Credits of sender: client, c5.xlarge Confidence 97 % Mean 4.02 Gbit/s Median, 5th to 95th percentile 1.25, 1.22 to 9.54 Gbit/s Retransmits 1 234 ENA allowance exceeded bw out (client) 94 670 packets Witnesses ✓ series one abrupt fall to 13 % that lasts ✓ ena allowance counters bw_out_allowance_exceeded grows from second 60 ✓ published bandwidth baseline 1.24 of 1.25 Gbit/s, burst 9.52 of 10.0 Gbit/s – retransmits few before and after How long can a rate be held? … 1.24 Gbit/s can be held for as long as you like. Empty credits are full again after 403 s idle (398 s to 409 s), or 807 s at half the baseline. Causes Shown : network credits (the 1.24 Gbit/s after the fall are a baseline) the first interval is 1.01 s long',
    ],
  ])('of %s says all that its measurement came to', (id, said) => {
    expect(words(id)).toBe(said);
  });

  test('of repetitions names all of them once, and what they came to', () => {
    const [head = ''] = cards.filter((each) => each.includes('<div id="p0003-m02"'));
    expect(textOf(head.slice(0, head.indexOf('</summary>')))).toBe(
      'c5.xlarge → c5.9xlarge drop, network credits failed truncated 2 of 3: 9.52, then 1.24 Gbit/s from 60.4 s on p0001-m02, p0003-m02, p0004-m02: same zone, no placement group, private address; iperf3: TCP, 8 streams, forward, 3 min',
    );
  });

  test('has the badge of its verdict, and of its status where it is not complete', () => {
    const badges = (id: string) =>
      [...cardOf(id).matchAll(/<span class="badge (\w*)">([^<]*)</g)].map(([, tone, text]) => `${tone}: ${text}`);
    expect(badges('p0004-m02')).toEqual(['falls: drop, network credits', 'warn: truncated']);
    expect(badges('p0003-m02')).toEqual(['bad: failed']);
    expect(badges('p0001-m01')).toEqual([]);
  });
});

describe('the headline of repetitions', () => {
  test.each([
    [['9.41 Gbit/s'], '9.41 Gbit/s'],
    [[undefined], ''],
    [['9.41 Gbit/s', '9.41 Gbit/s'], '2 repetitions: 9.41 Gbit/s'],
    [
      ['median 98.1, p99 201 µs', 'median 115, p99 4\u202f024 µs'],
      '2 repetitions: median 98.1–115, p99 201–4\u202f024 µs',
    ],
    [
      ['9.69, then 1.24 Gbit/s from 60.4 s on', '9.41 Gbit/s', '5.02, then 1.24 Gbit/s from 100 s on'],
      '2 of 3: 5.02–9.69, then 1.24 Gbit/s from 60.4–100 s on; 1 of 3: 9.41 Gbit/s',
    ],
    [['9.41 Gbit/s', undefined], '1 of 2: 9.41 Gbit/s'],
  ])('%j is %s', (headlines: (string | undefined)[], expected) => {
    expect(repeatedHeadline(headlines)).toBe(expected);
  });
});
