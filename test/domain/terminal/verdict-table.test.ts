import { contendedShare } from '../../../domain/model/contended';
import { verdictLine } from '../../../domain/terminal/verdict-line';
import { verdictTable } from '../../../domain/terminal/verdict-table';
import { contentionBadge, kindBadge } from '../../../domain/report/page/columns';
import {
  bidirectionalResult,
  failedResult,
  latencyResult,
  packetResult,
  steadyResult,
  steadyVerdict,
  throttledResult,
  throttledVerdict,
} from '../../support/measurement-results';
import { throughputOf } from '../../../domain/model/statistics';

describe('verdictLine', () => {
  test.each([
    [
      throttledResult(),
      "p0001-m02 c5.xlarge to c5.9xlarge, same_zone: drop, network_credits: 9.52 Gbit/s until 60.4 (60.3 to 60.6) s, then 1.24 Gbit/s, sender's bucket 500 (440 to 569 for another pair) Gbit, confidence 0.97",
    ],
    [steadyResult(), 'p0002-m02 c5.9xlarge to c5.9xlarge, same_zone: steady: 9.48 Gbit/s'],
    [
      steadyResult({ verdict: { ...steadyResult().verdict!, kind: 'noisy' } }),
      'p0002-m02 c5.9xlarge to c5.9xlarge, same_zone: noisy: 9.48 Gbit/s on average',
    ],
    [bidirectionalResult(), 'p0002-m03 c5.9xlarge to c5.9xlarge, same_zone: steady: 3.98 Gbit/s'],
    [
      latencyResult(),
      'p0001-m01 c5.xlarge to c5.9xlarge, same_zone: round trip p50 115, p99 201, p99.9 403, max 4024 us',
    ],
    [
      failedResult(),
      'p0003-m02 c5.xlarge to c5.9xlarge, same_zone: failed: iperf3: error - unable to connect to server: Connection refused',
    ],
  ])('$measurementId', (result, line) => {
    expect(verdictLine(result)).toBe(line);
  });

  test('a truncated measurement has its verdict and the reason for its end', () => {
    const line = verdictLine(throttledResult({ status: 'truncated', reason: 'the client host was lost' }));
    expect(line).toContain('drop, network_credits: 9.52 Gbit/s');
    expect(line).toMatch(/; truncated: the client host was lost$/);
  });

  test('a bucket that did not run empty has a lower bound', () => {
    const verdict = {
      ...steadyVerdict,
      bucketBitsAtLeast: 123e9,
    } as const;
    expect(verdictLine(steadyResult({ verdict }))).toContain('steady: 9.48 Gbit/s, bucket at least 123 Gbit');
  });
});

describe('a series that is too short to judge', () => {
  const verdict = {
    ...steadyVerdict,
    kind: 'insufficient',
    confidence: null,
    explanation: '12 samples over 12.0 s show no clear fall',
  } as const;
  const measured = steadyResult({ verdict });

  test('has the reason in its line', () => {
    expect(verdictLine(measured)).toMatch(
      /: insufficient: 9\.48 Gbit\/s on average; 12 samples over 12\.0 s show no clear fall/,
    );
  });

  test('has the reason below the table, and no confidence in it', () => {
    const [table, reasons] = verdictTable([measured]).split('\n\n');
    expect(reasons).toBe('p0002-m02: insufficient: 12 samples over 12.0 s show no clear fall');
    const [heading = '', , row = ''] = table?.split('\n') ?? [];
    const column = heading.indexOf('confidence');
    expect(row.slice(column, column + 'confidence'.length).trim()).toBe('');
  });
});

test('a caveat of several measurements is said once, with their names', () => {
  const measured = (measurementId: string, seconds: string, count = 20) => {
    const explanation = `${count} samples over ${seconds} s show no clear fall; at least 45 are needed`;
    const verdict = { ...steadyVerdict, kind: 'insufficient', confidence: null, explanation } as const;
    return steadyResult({ measurementId, verdict });
  };
  const some = [measured('p0001-m01', '20.0'), measured('p0002-m01', '20.1'), measured('p0003-m01', '12.0', 12)];
  expect(verdictTable(some).split('\n\n').at(-1)).toBe(
    'p0001-m01 and p0002-m01: insufficient: 20 samples show no clear fall; at least 45 are needed\n' +
      'p0003-m01: insufficient: 12 samples over 12.0 s show no clear fall; at least 45 are needed',
  );
});

describe('a host that was out of CPU credits', () => {
  const detail = 'the sender (t3.micro) was out of CPU credits from the start: it was refused 180 % of a core (steal)';
  const withheld = (kind: 'steady' | 'insufficient') => {
    const witnesses = [...steadyVerdict.witnesses, { name: 'cpu_credits' as const, agrees: true, detail }];
    const explanation = `${detail}; 9.48 Gbit/s for 180 s without a drop`;
    return steadyResult({ verdict: { ...steadyVerdict, kind, cause: 'cpu_credits', witnesses, explanation } });
  };

  test('is the first thing in the line, before any rate', () => {
    const subject = 'p0002-m02 c5.9xlarge to c5.9xlarge, same_zone';
    expect(verdictLine(withheld('steady'))).toBe(`${subject}: ${detail}; steady, cpu_credits: 9.48 Gbit/s`);
  });

  test('is said once where the whole explanation follows', () => {
    expect(verdictLine(withheld('insufficient')).split(detail)).toHaveLength(2);
  });

  test('is said below the table', () => {
    expect(verdictTable([withheld('steady')]).split('\n\n')[1]).toBe(`p0002-m02: ${detail}`);
  });

  test('is a badge of the report, before that of the kind', () => {
    expect(kindBadge(withheld('steady'))?.text).toMatch(/>out of CPU credits<.*>steady, cpu credits</);
    expect(kindBadge(steadyResult())?.text).not.toContain('CPU');
  });
});

describe('a host whose processors other work kept busy', () => {
  const inBrief = 'other work kept the processors of the client busy';
  const cpuContention = `${inBrief}, and the figures may show that instead of the network (the tool waited 31 %)`;

  test('is said in a few words after the verdict, of throughput and of latency', () => {
    expect(verdictLine(steadyResult({ cpuContention }))).toMatch(
      new RegExp(`same_zone: steady: 9.48 Gbit/s.*; but ${inBrief}$`),
    );
    expect(verdictLine(latencyResult({ cpuContention }))).toMatch(
      new RegExp(`same_zone: round trip p50 115.*; but ${inBrief}$`),
    );
  });

  test('is said where there is no verdict', () => {
    const failed = { cpuContention, verdict: null, status: 'failed', reason: 'refused' } as const;
    expect(verdictLine(steadyResult(failed))).toMatch(new RegExp(`same_zone: ${inBrief}; failed: refused$`));
  });

  test('is said below the tables, of throughput, latency and packets', () => {
    const results = [
      steadyResult({ cpuContention }),
      latencyResult({ cpuContention }),
      packetResult({ cpuContention }),
    ];
    const lines = verdictTable(results).split('\n\n').at(-1)!.split('\n');
    expect(lines).toEqual([`p0002-m02, p0001-m01 and p0001-m04: ${inBrief}`]);
  });

  test('is said once, without the figures, where the whole explanation follows, which begins with it', () => {
    const explanation = `${cpuContention}; 12 samples are too few`;
    const verdict = { ...steadyVerdict, kind: 'insufficient', explanation } as const;
    const line = verdictLine(steadyResult({ cpuContention, verdict }));
    expect(line).toMatch(new RegExp(`same_zone: insufficient: [^;]*; but ${inBrief}; 12 samples are too few$`));
    const [, reasons] = verdictTable([steadyResult({ cpuContention, verdict })]).split('\n\n');
    expect(reasons).toBe(`p0002-m02: ${inBrief}\np0002-m02: insufficient: 12 samples are too few`);
    const packets = packetResult({ cpuContention });
    const packetVerdict = { ...packets.packetVerdict!, explanation };
    expect(verdictLine(packetResult({ cpuContention, packetVerdict }))).toMatch(
      new RegExp(`: drop, packet_rate: 12 samples are too few; but ${inBrief}$`),
    );
  });

  test('is a badge in the report', () => {
    expect(contentionBadge(contendedShare([latencyResult({ cpuContention })]))?.text).toContain('>processors busy<');
    expect(contentionBadge(contendedShare([latencyResult()]))).toBeUndefined();
  });
});

describe('the CPU credits of the hosts', () => {
  test.each([
    [{ clientCpuCredits: 'standard', serverCpuCredits: 'standard' }, 'standard CPU credits'],
    [{ clientCpuCredits: 'unlimited', serverCpuCredits: 'unlimited' }, 'unlimited CPU credits'],
    [{ serverCpuCredits: 'unlimited' }, 'server with unlimited CPU credits'],
  ] as const)('are in the line and in the table: %j', (credits, words) => {
    const result = steadyResult(credits);
    expect(verdictLine(result)).toContain(`c5.9xlarge, same_zone, ${words}: steady`);
    expect(verdictTable([result])).toContain(` same_zone private ${words.toLowerCase().replaceAll(' ', '_')}  steady`);
  });
});

describe('the owner of the bucket', () => {
  test('is left out where it is unknown', () => {
    const verdict = { ...throttledVerdict, throttledBy: null };
    expect(verdictLine(throttledResult({ verdict }))).toContain(', bucket 500 (440 to 569 for another pair) Gbit,');
  });
});

describe('verdictTable', () => {
  const table = verdictTable([latencyResult(), throttledResult(), steadyResult(), failedResult()]);
  const lines = table.split('\n');

  test('aligns its columns', () => {
    const [heading = ''] = lines;
    const row = lines.find((line) => line.startsWith('p0001-m02')) ?? '';
    expect(row.indexOf('drop')).toBe(heading.indexOf('verdict'));
    expect(row.indexOf('9.52') + 4).toBe(heading.indexOf('burst Gbit/s') + 12);
  });

  test('shows the bucket with its interval and its owner', () => {
    const [heading = ''] = lines;
    const row = lines.find((line) => line.startsWith('p0001-m02')) ?? '';
    expect(row.slice(heading.indexOf('bucket Gbit'))).toMatch(/^ *500 \(497 to 503\) +sender +0\.97/);
  });

  test('has one block each for throughput, latency and reasons', () => {
    const blocks = table.split('\n\n');
    expect(blocks).toHaveLength(3);
    expect(blocks[0]).toContain('p0002-m02');
    expect(blocks[1]).toContain('p0001-m01');
    expect(blocks[2]).toBe('p0003-m02: failed: iperf3: error - unable to connect to server: Connection refused');
  });

  test('is plain ASCII, because not every console shows more', () => {
    expect(table).toMatch(/^[\x20-\x7e\n]+$/);
  });

  test.each([40, 60, 80, 100, 140, 200])('fits a terminal of %d columns', (width) => {
    const text = verdictTable([latencyResult(), throttledResult(), steadyResult(), failedResult()], width);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    for (const figure of ['9.52', 'drop', '9.48']) expect(text).toContain(figure);
  });

  test('in 80 columns has one row for each measurement', () => {
    const throttled = throttledResult({ serverType: 'c5.xlarge' });
    const [throughput = ''] = verdictTable([throttled, steadyResult()], 80).split('\n\n');
    const [headings, , dropped, steady, ...notShown] = throughput.split('\n');
    expect(headings).toMatch(/^id +types +verdict +burst lasts +burst Gbit\/s +baseline$/);
    expect(dropped).toMatch(/^p0001-m02 +c5\.xlarge +drop, credits +60\.4 s +9\.52 +1\.24$/);
    expect(steady).toMatch(/^p0002-m02 +c5\.9xlarge +steady: 9\.48$/);
    expect(notShown.join(' ')).toMatch(/^not shown, for want of width: where, bucket Gbit, /);
  });

  test.each([
    [throttledResult(), /^types +verdict +burst lasts +burst Gbit\/s +baseline$/],
    [packetResult(), /^types +verdict +burst lasts +burst k packets\/s +carried to the end$/],
    [latencyResult(), /^types +rtt us p50 +p99$/],
  ])('leaves out all else before what readers come for: $measurementId', (result, headings) => {
    const types = { clientType: 'c6gd.16xlarge', serverType: 'c6gn.16xlarge' };
    const narrow = Array.from({ length: 120 }, (_, columns) => verdictTable([{ ...result, ...types }], 20 + columns));
    const narrowest = narrow.find((text) => text.includes('not shown, for want of width'))!;
    expect(narrowest.split('\n')[0]).toMatch(headings);
  });

  test('in a narrow terminal has no mean of an outage', () => {
    const outage = steadyResult({ verdict: { ...steadyVerdict, kind: 'outage', cause: 'outage' } });
    expect(verdictTable([throttledResult(), outage], 80)).toMatch(/ outage$/m);
  });

  test('has the same caveat of several measurements once, with their names', () => {
    const failed = (...ids: string[]) => ids.map((measurementId) => failedResult({ measurementId, reason: 'refused' }));
    const caveats = (...ids: string[]) =>
      verdictTable(failed(...ids))
        .split('\n\n')
        .at(-1);
    expect(caveats('m1', 'm2')).toBe('m1 and m2: failed: refused');
    expect(caveats('m1', 'm2', 'm3')).toBe('m1, m2 and m3: failed: refused');
    expect(caveats('m1', 'm2', 'm3', 'm4')).toBe('m1, m2 and 2 more: failed: refused');
    const other = failedResult({ measurementId: 'm5', reason: 'timed out' });
    const mixed = verdictTable([...failed('m1'), other, ...failed('m2')])
      .split('\n\n')
      .at(-1);
    expect(mixed).toBe('m1 and m2: failed: refused\nm5: failed: timed out');
  });

  test('has one unit for all rates, the smaller one where no rate reaches the larger', () => {
    const inLab = (bits: number) => ({ value: bits, low: bits, high: bits });
    const small = { ...throttledVerdict, burst: inLab(9.92e8), baseline: inLab(7.44e7) };
    const slow = throttledResult({ verdict: small });
    expect(verdictTable([throttledResult(), slow])).toMatch(/burst Gbit\/s +baseline/);
    const rates = { ...throughputOf(slow)?.main.throughputBitsPerSecond, mean: 4.18e8 };
    const table = verdictTable([{ ...slow, statistics: { throughputBitsPerSecond: rates } }]);
    expect(table).toMatch(/burst Mbit\/s +baseline +mean/);
    expect(table).toMatch(/ 992 +74\.4 +418 /);
  });

  test('is empty for no measurements', () => {
    expect(verdictTable([])).toBe('');
  });
});
