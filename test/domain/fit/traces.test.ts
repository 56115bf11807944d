/** Each form of a trace, as recorded or documented, read to figures that were computed by hand. */
import { readTrace } from '../../../domain/fit/traces/read-trace';
import { traceOf } from '../../../domain/fit/traces/trace';
import type { Statistic } from '../../../domain/fit/traces/cloudwatch';
import { readFixture } from '../../support/fixtures';

const traceIn = (name: string, asked?: Statistic) => traceOf(readTrace(readFixture(`traces/${name}`), name, asked));

/** `[start, length, Mbit/s]` of each interval, by host and direction. */
function figures(trace: ReturnType<typeof traceIn>) {
  return Object.fromEntries(
    trace.series.map(({ instance, direction, intervals }) => [
      `${instance} ${direction}`,
      intervals.map((each) => [each.startSeconds - trace.startSeconds, each.lengthSeconds, each.bitsPerSecond / 1e6]),
    ]),
  );
}

test('get-metric-data: Sum over 300 s, newest first, two hosts, with a time that is missing', () => {
  const trace = traceIn('get-metric-data.json');
  expect(figures(trace)).toEqual({
    // 37.5 MB in 300 s are 1 Mbit/s; 01:10 is not there.
    'i-0123456789abcdef0 in': [
      [0, 300, 1],
      [300, 300, 0.2],
      [900, 300, 100],
    ],
    'i-0123456789abcdef0 out': [
      [0, 300, 10],
      [300, 300, 5000],
      [600, 300, 5000],
      [900, 300, 5000],
    ],
    'i-0fedcba9876543210 out': [
      [0, 300, 0.08],
      [300, 300, 0],
    ],
  });
  expect(trace.startSeconds).toBe(Date.UTC(2026, 10, 20, 1) / 1000);
  expect(trace.read.join('\n')).toContain(
    'i-0123456789abcdef0, in: 3 intervals of 300 s from 2026-11-20T01:00:00Z, 1 gap, 5 min unknown.',
  );
  expect(trace.read.join('\n')).toContain('left out: i-0123456789abcdef0 CPUUtilization Average cpu1.');
});

test('get-metric-statistics: three answers in one file, the host by its name; an average is of minutes', () => {
  const trace = traceIn('i-0123456789abcdef0-get-metric-statistics.json');
  expect(figures(trace)).toEqual({
    // Five samples of 15 MB in 300 s, and 15 MB in each minute, are both 2 Mbit/s.
    'i-0123456789abcdef0 out': [
      [0, 300, 2],
      [300, 300, 0.2],
    ],
    'i-0123456789abcdef0 in': [
      [0, 300, 2],
      [300, 300, 0.2],
    ],
  });
  expect(trace.highestPacketsPerSecond).toBe(10_000);
});

test('CSV of the console: an empty cell is a gap', () => {
  expect(figures(traceIn('console.csv'))).toEqual({
    'i-0123456789abcdef0 in': [
      [0, 60, 1],
      [120, 60, 1],
    ],
    'i-0123456789abcdef0 out': [
      [0, 60, 10],
      [60, 60, 20],
      [120, 60, 10],
    ],
  });
});

test('flow log in the default format: the own address is in all records; NODATA is none, SKIPDATA is unknown', () => {
  const trace = traceIn('flow-log-default.txt');
  expect(figures(trace)).toEqual({
    'eni-1235b8ca123456789 in': [
      [0, 60, 0.0008],
      [60, 60, 0],
      [120, 60, 0],
      [240, 60, 0],
    ],
    'eni-1235b8ca123456789 out': [
      [0, 60, 8],
      [60, 60, 0],
      [120, 60, 0],
      [240, 60, 4],
    ],
  });
  expect(trace.read).toContain('VPC flow log: 1 record of rejected traffic count as none.');
});

test('flow log in a format of its own: by flow-direction, spread over the time of a record', () => {
  expect(figures(traceIn('flow-log-custom.txt'))).toEqual({
    'eni-0a1b2c3d4e5f60718 in': [
      [0, 60, 0.002],
      [60, 60, 0],
    ],
    'eni-0a1b2c3d4e5f60718 out': [
      [0, 60, 6],
      [60, 60, 6],
    ],
    'eni-0f0e0d0c0b0a09080 in': [[0, 60, 0]],
    'eni-0f0e0d0c0b0a09080 out': [[0, 60, 6]],
  });
});

test.each([
  [
    'bytes.csv',
    {
      'the host in': [
        [0, 10, 1],
        [10, 10, 2],
      ],
      'the host out': [
        [0, 10, 100],
        [10, 10, 200],
        [20, 10, 100],
      ],
    },
  ],
  [
    'series-of-a-run.csv',
    {
      'client interface in': [
        [0, 1, 2],
        [1, 1, 2],
        [3, 1, 1],
      ],
      'client interface out': [
        [0, 1, 1030],
        [1, 1, 1030],
        [3, 1, 515],
      ],
    },
  ],
  [
    'series.jsonl',
    {
      'a not_stated': [
        [0, 60, 2000],
        [120, 60, 1000],
      ],
    },
  ],
  // 1,000 kB/s of 1,024 bytes are 8.192 Mbit/s; midnight lies between the header and the first line.
  [
    'sar.txt',
    {
      'the host in': [
        [0, 600, 8.192],
        [600, 600, 4.096],
      ],
      'the host out': [
        [0, 600, 983.04],
        [600, 600, 491.52],
      ],
    },
  ],
  [
    'ifstat.txt',
    {
      'the host in': [
        [0, 1, 8.192],
        [1, 1, 12.288],
        [3, 1, 4.096],
      ],
      'the host out': [
        [0, 1, 16.384],
        [1, 1, 32.768],
        [3, 1, 8.192],
      ],
    },
  ],
])('%s', (name, expected) => {
  expect(figures(traceIn(name))).toEqual(expected);
});

test('the packets of a sar are those of both directions', () => {
  expect(traceIn('sar.txt').highestPacketsPerSecond).toBe(10_000);
});

test('two pages of one answer are one series', () => {
  const page = (minute: string, value: number) =>
    JSON.stringify({
      MetricDataResults: [
        {
          Id: 'a',
          Label: 'NetworkOut',
          Timestamps: [`2026-11-20T01:0${minute}:00Z`, `2026-11-20T01:0${Number(minute) + 1}:00Z`],
          Values: [value, value],
          StatusCode: 'Complete',
        },
      ],
    });
  const trace = traceOf([page('0', 7.5e6), page('2', 15e6)].flatMap((text) => readTrace(text)));
  expect(figures(trace)).toEqual({
    'the host out': [
      [0, 60, 1],
      [60, 60, 1],
      [120, 60, 2],
      [180, 60, 2],
    ],
  });
});

const answer = (result: object) =>
  JSON.stringify({
    MetricDataResults: [
      {
        Id: 'a',
        Label: 'NetworkIn',
        Timestamps: ['2026-11-20T01:00:00Z', '2026-11-20T01:05:00Z'],
        Values: [1, 2],
        ...result,
      },
    ],
  });
const HEAD =
  'version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status';

test.each([
  [
    'a statistic that is not stated',
    answer({}),
    /^MetricDataResults\[0\], statistic: must be Sum or Average, which differ by a factor of 5, got nothing; --statistic says it$/,
  ],
  [
    'a value that is no number',
    answer({ Values: [1, 'x'] }),
    /^MetricDataResults\[0\]\.Values\[1\]: must be a number from 0 on, got "x"$/,
  ],
  [
    'fewer values than times',
    answer({ Values: [1] }),
    /^MetricDataResults\[0\]\.Values: must be as many as Timestamps \(2\), got 1$/,
  ],
  [
    'another metric',
    answer({ Label: 'CPUUtilization' }),
    /must be about NetworkIn, NetworkOut, .* got "left out: CPUUtilization a"$/,
  ],
  [
    'one value',
    answer({ Timestamps: ['2026-11-20T01:00:00Z'], Values: [1] }),
    /^CloudWatch get-metric-data: period: must be one of whole minutes for all series .* got \[\]$/,
  ],
  [
    'another unit',
    '{"Label": "NetworkIn", "Datapoints": [{"Timestamp": "2026-11-20T01:00:00Z", "Sum": 1, "Unit": "Megabytes"}]}',
    /^Datapoints\[0\]\.Unit: must be "Bytes", got "Megabytes"$/,
  ],
  ['JSON that is cut off', answer({}).slice(0, 90), /^trace: must be whole JSON, got "only a part"$/],
  [
    'JSON of something else',
    '{"Reservations": []}',
    /^trace: must be JSON with MetricDataResults, Datapoints, or t and bps, got \["Reservations"\]$/,
  ],
  ['Parquet', 'PAR1\u0000', /^trace: must be text, got "Parquet"; Athena can write flow logs as CSV$/],
  [
    'a heading without a unit',
    'time,in,out\n0,1,2\n1,1,2\n',
    /^line 1: must be headings with the unit of a value, such as bytes_in, .* got "time,in,out"$/,
  ],
  [
    'a time without a zone',
    'time,bytes\n2026-11-20T01:00:00,1\n2026-11-20T01:01:00,1\n',
    /^line 2, time: must be a time with its zone, .* got "2026-11-20T01:00:00"$/,
  ],
  [
    'milliseconds',
    'time,bytes\n1763600400000,1\n1763600401000,1\n',
    /^line 2, time: must be .* \(not milliseconds\), got "1763600400000"$/,
  ],
  ['a cell that is no number', 'time,bytes\n0,1\n1,-5\n', /^line 3, bytes: must be a number from 0 on, got "-5"$/],
  ['a record with too few values', `${HEAD}\n2 1 eni-1`, /^line 2: must be 14 values \(version .*, got "2 1 eni-1"$/],
  [
    'a flow log of one flow',
    `${HEAD}\n2 1 eni-1 10.0.0.1 10.0.0.2 1 2 6 1 10 0 60 ACCEPT OK`,
    /^eni-1, own address: must be the only one in all records, .* got \["10\.0\.0\.1","10\.0\.0\.2"\]$/,
  ],
  [
    'ifstat without times',
    '      eth0\n KB/s in  KB/s out\n    1.00  2.00\n',
    /^ifstat, first heading: must be HH:MM:SS, as ifstat -t prints it, got "KB\/s"$/,
  ],
  ['a text', 'hello\n', /^trace: must be CloudWatch's .*, got "hello"$/],
])('%s is refused by path, value and what is allowed', (_, text, refusal) => {
  expect(() => traceOf(readTrace(text))).toThrow(refusal);
});

test('two hosts without a name are not mistaken for one', () => {
  const twice = [answer({}), answer({})].flatMap((text) => readTrace(text, '', 'Sum'));
  expect(() => traceOf(twice)).toThrow(
    /^the host in at 2026-11-20T01:00:00Z: must be one value, got 2; if they are of two hosts, name each/,
  );
});
