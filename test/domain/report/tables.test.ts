/** Every table of a report cell by cell: its words and figures, what stands below them, and badges with their tones. */
import { describe, expect, test } from '@jest/globals';
import { compareRuns } from '../../../domain/run/comparison';
import { notApplicableResult } from '../../support/compared-results';
import { packetResult, steadyResult } from '../../support/measurement-results';
import { rowsOf, sectionOf, textOf } from '../../support/page-markup';
import { comparedInput, pageOf, renderReport, reportInput } from '../../support/report-input';

const report = renderReport(reportInput());
const compared = renderReport(comparedInput());
/** The words of a section without those of its tables and its charts. */
const besideTables = (page: string, id: string) =>
  textOf(sectionOf(page, id).replace(/<(table|svg)\b.*?<\/\1>/gs, '…'));

test.each([
  [
    'answer',
    report,
    [
      'Types and verdict | Burst, Gbit/s | Burst lasts, min | Sustained, Gbit/s | Holds 1 Gbit/s, min | Holds 2 Gbit/s, min | Holds 5 Gbit/s, min | Holds 10 Gbit/s, min | Bucket, Gbit | p50, µs | p99, µs',
      'c5.9xlarge / same zone, iperf3, 8 streams, forward / 1 pair, 99 % confidence [holds: steady] | – | – | 9.48 | always | always | always | always | – | – | –',
      'c5.xlarge → c5.9xlarge / same zone, iperf3, 8 streams, forward / 1 pair, 97 % confidence [falls: drop, network credits] | 9.52 / 4.88–10.0 | 1.01 / 0.891–1.14 | 1.24 / 1.23–1.25 | always | 11.0 / 9.70–12.4 | 2.22 / 1.96–2.51 | 1.01 / 0.891–1.14 | 500 / 443–565 | 115 | 201',
      'c5.9xlarge / other zone, sockperf, messages of 64 bytes / 1 pair | – | – | – | – | – | – | – | – | 696 | 1 002',
    ],
  ],
  [
    'verdicts',
    report,
    [
      'Client and server | Where | Verdict and status | Mean, Gbit/s | Burst, Gbit/s | Baseline, Gbit/s | Onset, s (95 %) | Bucket, Gbit (95 %) | Credits of | Published, Gbit/s | Confidence',
      'c5.xlarge → c5.9xlarge / p0001-m02, iperf3: TCP, 8 streams, forward, 3 min | same zone / eu-central-1a / no placement group, private address | [falls: drop, network credits] [: complete] | 4.02 | 9.52 | 1.24 | 60.4 / 60.3–60.6 | 500 / 497–503 | sender | 1.25 / 10.0 / server 12.0 / 12.0 | 97 %',
      'c5.9xlarge → c5.9xlarge / p0002-m02, iperf3: TCP, 8 streams, forward, 3 min | same zone / eu-central-1a / no placement group, private address | [holds: steady] [: complete] | 9.48 | – | – | – | – | – | 12.0 / 12.0 | 99 %',
      'c5.9xlarge ⇄ c5.9xlarge / p0002-m03, iperf3: UDP, 8 streams, 4.00 Gbit/s offered, bidirectional, 3 min | same zone / eu-central-1a / no placement group, private address | [holds: steady] [: complete] | 3.98 | – | – | – | – | – | 12.0 / 12.0 | 99 %',
      'c5.xlarge → c5.9xlarge / p0003-m02, iperf3: TCP, 8 streams, forward, 3 min | same zone / no placement group, private address | [bad: failed] | – | – | – | – | – | – | 1.25 / 10.0 / server 12.0 / 12.0 | –',
      'c5.xlarge → c5.9xlarge / p0004-m02, iperf3: TCP, 8 streams, forward, 3 min | same zone / eu-central-1a / no placement group, private address | [falls: drop, network credits] [warn: truncated] | 4.02 | 9.52 | 1.24 | 60.4 / 60.3–60.6 | 500 / 497–503 | sender | 1.25 / 10.0 / server 12.0 / 12.0 | 97 %',
      'Client and server | Where | Median, µs | p90 | p99 | p99.9 | p99.99 | Longest | Round trips | Dropped | Status',
      'c5.xlarge ⇄ c5.9xlarge / p0001-m01, sockperf: TCP, messages of 64 bytes, 30 s | same zone / eu-central-1a / no placement group, private address | 115 | 133 | 201 | 403 | 1 180 | 4 024 | 252 718 | 1 | [: complete]',
      'c5.9xlarge ⇄ c5.9xlarge / p0002-m01, sockperf: TCP, messages of 64 bytes, 30 s | other zone / eu-central-1a, eu-central-1b / no placement group, private address | 696 | 741 | 1 002 | 2 210 | 5 120 | 9 876 | 42 718 | 0 | [: complete]',
    ],
  ],
  [
    'measurements',
    report,
    [
      'Gbit/s | From full credits | 95 % interval',
      '4.00 | 181 s | 180 s to 183 s',
      '6.00 | 105.1 s | 104.5 s to 105.9 s',
      '8.00 | 74.0 s | 73.6 s to 74.5 s',
      '9.52 | 60.4 s | 60.1 s to 60.8 s',
    ],
  ],
  [
    'comparison',
    report,
    [
      'Figure | Earlier | Now | Change (95 %) | Beyond the noise?',
      '# iperf3, 8 streams, forward, 3 min / p0001-m02; 4 earlier measurements, 2026-10-02 to 2026-11-18',
      'Throughput, mean / Gbit/s | 3.91 (3.90–3.92), n 4 | 4.02, n 1 | +0.110 / +2.8 % / +0.0802 to +0.140 | [warn: beyond the noise] / less than 5 %, too small to matter / one side is a single measurement; repetitions of it may vary as much as those of the other side',
      'Burst / Gbit/s | 9.50 (9.49–9.51), n 4 | 9.52, n 1 | +0.0200 / +0.2 % / −4.62 to +9.06 | [: within the noise] / one side is a single measurement; repetitions of it may vary as much as those of the other side',
      'Baseline / Gbit/s | 1.24 (1.23–1.25), n 4 | 1.24, n 1 | +0.000020 / +0.0 % / −0.0287 to +0.0294 | [: within the noise] / one side is a single measurement; repetitions of it may vary as much as those of the other side',
      'Throttle onset / s | 57.8 (57.5–58.1), n 4 | 60.4, n 1 | +2.6 / +4.5 % / −37.0 to +117.4 | [: within the noise] / one side is a single measurement; repetitions of it may vary as much as those of the other side',
      '# sockperf, messages of 64 bytes, 30 s / p0001-m01; 1 earlier measurement, 2026-11-18',
      'Round trip, median / µs | 120, n 1 | 115, n 1 | −5.6 / −4.7 % | / no interval, because one side is a single measurement',
      'Round trip, p99 / µs | 191, n 1 | 201, n 1 | +10.5 / +5.5 % | / no interval, because one side is a single measurement',
    ],
  ],
  [
    'conditions',
    report,
    [
      'Type and zone | Image and system | Kernel | Driver | vCPUs | Queues | MTU, bytes | Congestion control | Clock | Tools | SSM agent',
      'c5.xlarge / eu-central-1a, 1 host | ami-0a1b2c3d4e5f60718 / Ubuntu 24.04.3 LTS | 6.8.0-1021-aws | ena 2.15.0g | 4 | 4 | 9001 | cubic | PHC0 | iperf3 3.16, sockperf 3.10 | 3.3.4177.0',
      'c5.9xlarge / eu-central-1a, 2 hosts | ami-0a1b2c3d4e5f60718 / Ubuntu 24.04.3 LTS | 6.8.0-1021-aws | ena 2.15.0g | 4 | 4 | 9001 | cubic | PHC0 | iperf3 3.16, sockperf 3.10 | 3.3.4177.0',
      'c5.9xlarge / eu-central-1b, 1 host | ami-0a1b2c3d4e5f60718 / Ubuntu 24.04.3 LTS | 6.8.0-1021-aws | ena 2.15.0g | 4 | 4 | 9001 | cubic | PHC0 | sockperf 3.10 | 3.3.4177.0',
    ],
  ],
  [
    'charts',
    compared,
    [
      'Measured | Repetitions | Transactions per second | Round trip, mean, µs',
      'c5.xlarge, same zone, private address, TCP, messages of 16 KiB | 3 | 8 868 / 8 369–9 367 | 113 / 107–119',
      'c5.xlarge, same zone, private address, UDP, messages of 16 KiB | 3 | 9 429 / 8 935–9 924 | 106 / 101–112',
      'c5n.2xlarge, other zone, private address, TCP, messages of 14 bytes | 10 | 1 627 / 1 605–1 650 | 615 / 606–623',
    ],
  ],
  [
    'repetitions',
    compared,
    [
      'Figure | Repetitions | Mean (95 %) | Median (95 %) | Least to greatest | Modes',
      '# c5.xlarge, same zone, private address, sockperf, ping pong, TCP, messages of 16 KiB, 10 s / p0001-m01, p0002-m01, p0003-m01',
      'Transactions / per second | 3 | 8 868 / 8 369–9 367 | 8 966 | 8 637–9 001 | –',
      'Round trip, mean / µs | 3 | 113 / 107–119 | 112 | 111–116 | –',
      'Round trip, median / µs | 3 | 108 / 102–115 | 107 | 107–111 | –',
      'Round trip, p99 / µs | 3 | 203 / 192–215 | 201 | 200–208 | –',
      'Round trip, p99.99 / µs | 3 | 1 015 / 959–1 075 | 1 004 | 1 000–1 042 | –',
      '# m5.large, same zone, private address, iperf3, TCP, 8 streams, forward, 30 min / p0301-m01, p0302-m01, p0303-m01',
      'Throughput, mean / Gbit/s | 3 | 4.24 / 4.08–4.40 | 4.25 | 4.17–4.29 | –',
      '# c5n.2xlarge, other zone, private address, iperf3, TCP, 1 stream, forward, 3 min / p0401-m01, p0402-m01, p0403-m01, p0404-m01, p0405-m01, p0406-m01, p0407-m01, p0408-m01, p0409-m01, p0410-m01',
    ],
  ],
  [
    'streams',
    compared,
    [
      'Streams | Together, Gbit/s | Each, Gbit/s | Stragglers | CPU, client | CPU, server',
      '# http, HTTP / Throughput flattens at 4 streams.',
      '1 | 2.55 | 2.55 | – | 6 + 11 % | 2 + 9 %',
      '2 | 4.99 | 2.50, 2.54 | – | 12 + 22 % | 4 + 18 %',
      '3 | 7.34 | 2.45, 2.49, 2.49 | – | 18 + 33 % | 6 + 27 %',
      '4 | 9.40 | 2.35, 2.39, 2.39, 2.36 | – | 24 + 44 % | 8 + 36 %',
      '6 | 9.40 | 1.57, 1.59, 1.60, 1.57, 1.54, 1.54 | – | 36 + 66 % | 12 + 54 %',
      '8 | 9.40 | 1.26, 1.28, 1.28, 1.27, 1.24, 0.568, 1.25, 1.28 | [warn: stream 6: 0.568 Gbit/s] | 48 + 88 % | 16 + 72 %',
      '12 | 9.40 | 0.783, 0.797, 0.798, 0.786, 0.771, 0.768, 0.779, 0.794, 0.799, 0.790, 0.775, 0.768 | – | 72 + 132 % | 24 + 108 %',
    ],
  ],
  [
    'loaded-latency',
    compared,
    [
      'When | Median | p99 | Longest | Round trips | Median, after / before',
      '# c5.xlarge → c5.9xlarge / p0601-m01, same zone, private path',
      'before the onset | 172 | 610 | 2 410 | 6 040 | –',
      'after the onset | 2 408 | 8 540 | 33 740 | 11 960 | × 14.0',
    ],
  ],
  [
    'routes',
    compared,
    [
      'Measured | Shortest | Mean | Longest | Standard deviation | Hops | Path MTU, bytes',
      'c6i.8xlarge, same zone, cluster group, ENA Express off, ping, messages of 56 bytes, 100 packets, 20 s / p0201-m01 | 60.8 | 78.0 | 205 | 15.6 | – | –',
    ],
  ],
  [
    'routes',
    compared,
    [
      'c5.xlarge → c5.9xlarge, same zone, no placement group, ENA Express off, route, 10 s / p0602-m01 | – | – | – | – | 1 | 9 001',
    ],
  ],
  [
    'run-comparison',
    compared,
    [
      'Figure | Earlier | Now | Change (95 %) | Beyond the noise?',
      '# c5n.2xlarge, other zone, VPC peering, iperf3, 1 stream, forward, 3 min / p0421-m01 to p0430-m01 (10); earlier p0417-m01 to p0424-m01 (8)',
      'Throughput, mean / Gbit/s | 9.04 (8.93–9.15), n 8 | 9.43 (9.34–9.51), n 10 | +0.389 / +4.3 % / +0.265 to +0.515 | [warn: beyond the noise] / less than 5 %, too small to matter',
    ],
  ],
  [
    'packets',
    pageOf([packetResult()]),
    [
      'Client and server | Where | Verdict and status | Mean, thousand/s | Burst | Carried to the end (95 %) | Onset, s (95 %) | Limited by | Bytes per packet | Confidence',
      'c5.xlarge → c5.9xlarge / p0001-m04, iperf3: packets, UDP, 16 streams, datagrams of 64 bytes, forward, 3 min | same zone / eu-central-1a / no placement group, private address | [falls: drop, packet rate] [: complete] | 692 | 1 251 / 1 249–1 253 | 410 / 410–411 | 60.4 / 60.3–60.6 | sender | 106 | 98 %',
    ],
  ],
])('the tables have these rows: %s', (id, page, rows) => {
  const all = rowsOf(sectionOf(page, id));
  // What has changed stands above the table of all comparisons, with the same headings.
  const from = id === 'comparison' ? all.lastIndexOf(rows[0] ?? '') : all.indexOf(rows[0] ?? '');
  expect(all.slice(from, from + rows.length)).toEqual(rows);
});

test.each([
  [
    'the outcome, what was asked for and what came',
    report,
    'page',
    'EC2 Network Bench Burst of c5 incomplete Run burst-of-c5-20261120 Planned 2026-11-20 21:00:00 UTC Ended 2026-11-20 21:09:41 UTC Pairs 4, at most 4 at a time Measurements 5 of 7 measurements complete',
  ],
  [
    'order, seed and estimate',
    compared,
    'page',
    'EC2 Network Bench All comparisons complete Run burst-of-c5-20261120 Planned 2026-11-20 21:00:00 UTC Ended 2026-11-20 21:09:41 UTC Pairs 151, at most 4 at a time Order random, seed 1804289383 Estimated price 0.42 USD, at most 1.34 USD Repetitions 3, each on a fresh pair Measurements 149 of 151 measurements complete',
  ],
])('the head has %s', (_, page, className, words) => {
  const [head = ''] = new RegExp(`<header class="${className}">.*?</header>`, 's').exec(page) ?? [];
  expect(textOf(head)).toBe(words);
  const [, tone] = /<span class="badge (\w+)">/.exec(head) ?? [];
  expect(tone).toBe(page === report ? 'bad' : 'good');
});

test('what failed stands above the answer, each with its reason', () => {
  expect(textOf(report.slice(report.indexOf('<div class="alert'), report.indexOf('<section id="answer"')))).toBe(
    '2 pairs failed p0003 : p0003-m02: iperf3: error - unable to connect to server: Connection refused p0004 : p0004-m02: client host i-0aaaaaaaaaaaaaaa1 was terminated after 118 s',
  );
});

test.each([
  [24, '<div class="scroll" tabindex="0">'],
  [25, '<div class="scroll tall" tabindex="0" role="region" aria-label="All 25 throughput measurements">'],
])('a table of %d rows has the box that it needs', (count, box) => {
  const results = Array.from({ length: count }, (_, index) => steadyResult({ measurementId: `p${1001 + index}-m01` }));
  expect(sectionOf(pageOf(results), 'verdicts')).toContain(`${box}<table class="stacks sortable n-last">`);
});

describe('beside their tables', () => {
  test('comparisons say what a change is, how many there are, and what only one run has', () => {
    const lead =
      'Only measurements with the same types, conditions, tool and settings are compared. If both sides have the same zones, each zone is compared by itself. Each 95 % interval is for one change by itself. All figures are judged together, so about one in 20 changes called beyond the noise is chance. A change of less than 5 % is too small to matter.';
    expect(besideTables(report, 'comparison')).toBe(
      `Compared with earlier runs A change compares a figure of this run with the same figure of all runs of the 178 days before it. ${lead} 1 of 4 figures changed beyond the noise. For 2 more, the noise is not known. … All 6 compared figures …`,
    );
    const text = besideTables(compared, 'run-comparison');
    expect(text).toContain(
      `Compared with run all-articles-20261101 A change compares a figure of this run with the same figure of the earlier run. ${lead} 1 of 28 figures changed beyond the noise. For 17 more, the noise is not known. … All 45 compared figures … Only in this run, MTU 9001: p0001-m01 (c5.xlarge, same zone, no placement group, private address, ENA Express off, sockperf, ping pong, TCP, messages of 16 KiB, 10 s); p0201-m01 (`,
    );
    expect(text).toMatch(
      /\); and 20 more Only in the earlier run, c5\.xlarge → c5\.9xlarge, same zone, no placement group, VPC peering, ENA Express off, MTU 9001, route, 10 s: p0602-m01$/,
    );
  });

  test('comparisons say so where nothing can be compared', () => {
    const comparedRun = compareRuns('lab-1', [steadyResult()], [packetResult()]);
    expect(besideTables(pageOf([packetResult()], { comparedRun }), 'run-comparison')).toMatch(
      /too small to matter\. The two runs have no measurement in common\. Only in this run, .*: p0001-m04 Only in the earlier run, .*: p0002-m02$/,
    );
    expect(besideTables(pageOf([]), 'comparison')).toBe(
      'Compared with earlier runs No earlier run measured the same pairs in the same way.',
    );
    const changes = { earlierRuns: undefined, earlierRunsUnavailable: 'the query ran out of time' };
    expect(besideTables(pageOf([], changes), 'comparison')).toBe(
      'Compared with earlier runs Earlier runs could not be queried: the query ran out of time',
    );
  });

  test('the last sections say what to keep in mind, and how the rows are queried', () => {
    expect(besideTables(report, 'caveats')).toMatch(
      /^Before you rely on these figures These figures are not guaranteed\. .* on the host spent any\.$/,
    );
    const where = "WHERE day = date '2026-11-20' AND run_id = 'burst-of-c5-20261120'";
    expect(besideTables(report, 'query')).toMatch(
      new RegExp(
        `in database network_benchmark with workgroup network-benchmark \\. .* FROM measurements ${where} ORDER BY measurement_id SELECT .* FROM samples ${where} AND metric = 'throughput' ORDER BY measurement_id, direction, start_seconds$`,
      ),
    );
    expect(besideTables(pageOf([], { athena: undefined }), 'query')).toContain(
      "in the result store's Athena workgroup.",
    );
  });

  test('what ENA Express is, and where it is not used nothing of it', () => {
    expect(besideTables(compared, 'conditions')).toMatch(
      /ENA Express: the setting of the plan, .* It never carries ICMP echoes\.$/,
    );
    expect(besideTables(report, 'conditions')).toBe(
      'Conditions What the measured hosts reported about themselves. Identical hosts share a row. …',
    );
  });

  test('each reason of what is not applicable stands once', () => {
    const inapplicable = [
      notApplicableResult('no ICMP'),
      notApplicableResult('no ICMP', { measurementId: 'p0702-m01' }),
    ];
    const page = pageOf(inapplicable);
    expect(textOf(page)).toContain(
      '2 measurements not applicable Nothing that the plan asks for can be measured, so nothing was launched',
    );
    expect(textOf(page)).toMatch(/no ICMP: p0\d01-m01 c5\.xlarge ⇄ c5\.9xlarge, p0702-m01 c5\.xlarge ⇄ c5\.9xlarge/);
  });
});
