import { seriesWarnings, timeFault, type RateSeries } from '../../../domain/detection/prediction';

function series(times: readonly number[], dt?: number): RateSeries {
  return {
    id: 'a',
    t: times,
    bps: times.map((_, index) => (index < 40 ? 8e9 : 1e9)),
    ...(dt === undefined ? {} : { dt }),
  };
}

const every = (seconds: number, from = 0) => Array.from({ length: 120 }, (_, index) => from + seconds * index);

describe('times in milliseconds', () => {
  test.each([
    ['since 1970', series(every(1000, 1_764_000_000_000)), 'got 1764000000000, which is Unix time in milliseconds'],
    ['beside a dt in seconds', series(every(1000), 1), 'got times that are 1000 apart with a dt of 1 s'],
    ['beside a dt of tenths', series(every(100), 0.1), 'got times that are 100 apart with a dt of 0.1 s'],
  ])('%s are refused', (_, given, message) => {
    expect(timeFault(given)).toContain(message);
  });

  test.each([100, 250, 1000, 5000])('that are %s apart, without a dt, are warned of', (distance) => {
    expect(timeFault(series(every(distance)))).toBeNull();
    expect(seriesWarnings(series(every(distance)))[0]).toMatch(
      `the times are ${distance} apart and are read as seconds; if they are milliseconds, divide them by 1,000`,
    );
  });

  test.each([
    ['seconds since 1970', series(every(1, 1_764_000_000), 1)],
    ['five minutes, as their dt says', series(every(300), 300)],
    ['a minute', series(every(60))],
    ['a tenth of a second', series(every(0.1), 0.1)],
    ['no time at all', series([])],
    ['a single sample', series([5])],
  ])('are not what %s are taken for', (_, given) => {
    expect(timeFault(given)).toBeNull();
    expect(seriesWarnings(given)).toEqual([]);
  });
});

test('a clock that is set back by an hour is named, with the samples that it hides', () => {
  const times = every(1).map((time) => (time < 60 ? time + 3600 : time + 3580));
  expect(seriesWarnings(series(times, 1))).toEqual([
    'the times go back 1 time, first from 3659 to 3640 s; the samples are judged in the order of their times, which is ' +
      'not the order in which they were measured',
    '20 samples with the time of another one left out',
  ]);
});

test('a series in reverse, which the detector sorts, is not warned of', () => {
  expect(seriesWarnings(series(every(1).reverse(), 1))).toEqual([]);
});

test('one step back is named in the shortest series, too', () => {
  expect(seriesWarnings(series([0, 1, 2, 1.5, 4, 5], 1))[0]).toContain(
    'the times go back 1 time, first from 2 to 1.5 s',
  );
});

test('minutes without a sample are named, and what is made of them', () => {
  expect(timeFault(series(every(5000), 1))).toBeNull();
  const times = every(1).map((time) => (time < 30 ? time : time + 200));
  expect(seriesWarnings(series(times, 1))).toEqual([
    'no sample for 200.0 s from 30 s on; unless the rates beside it show a rest, the load is taken to have gone on, and ' +
      'a bucket is too large if it did not',
  ]);
});

test('rates below 0 are named', () => {
  const given = series(every(1), 1);
  expect(seriesWarnings({ ...given, bps: given.bps.map((rate, index) => (index === 7 ? -rate : rate)) })).toEqual([
    '1 sample with a rate below 0 left out',
  ]);
});
