/**
 * What the driver on the host makes of iperf3: duty cycles, early ends, a latency probe beside the load. All recorded.
 */
import { describe, expect, test } from '@jest/globals';
import { assembleOutput } from '../../../../domain/assembly/assemble-measurement';
import { parseIperf3Text } from '../../../../domain/tools/iperf3/text';
import { judgeMeasurement } from '../../../../domain/analysis/judge-measurement';
import { loadedLatency } from '../../../../domain/assembly/loaded-latency';
import { facts } from '../../../support/evidence';
import { readFixture } from '../../../support/fixtures';

const recorded = (name: string) => readFixture(`tool-output/iperf3/3.12-driver/${name}.out`);
const dutyCycle = { onSeconds: 8, offSeconds: 4 };

describe('a duty cycle of 8 s on and 4 s off, eight times', () => {
  test.each(['client', 'server'])('%s: one series on one axis, with nothing in the pauses', (role) => {
    const output = parseIperf3Text(recorded(`duty-cycle.${role}`));

    expect(output).toMatchObject({ role, complete: true, parallelStreams: 1, errors: [], warnings: [] });
    const starts = output.intervals.map(({ startSeconds }) => startSeconds);
    expect(starts.length).toBeGreaterThanOrEqual(64);
    expect(starts).toEqual([...starts].sort((left, right) => left - right));
    // Within a run, or a little late.
    expect(starts.filter((start) => start % 12 > 8.2)).toEqual([]);
    expect(output.durationSeconds).toBeGreaterThan(7 * 12 + 7.9);
  });

  test('its totals are those of all runs', () => {
    const output = parseIperf3Text(recorded('duty-cycle.client'));

    const sent = output.summaries.find(({ side }) => side === 'sender')!;
    const printed = [...recorded('duty-cycle.client').matchAll(/ (\d+) +sender$/gm)].map(([, count]) => Number(count));
    expect(printed).toHaveLength(8);
    expect(sent.retransmits).toBe(printed.reduce((sum, count) => sum + count, 0));
    expect(sent.bitsPerSecond).toBeGreaterThan(100e6);
    expect(sent.bitsPerSecond).toBeLessThan(380e6);
  });

  test("the verdict's bucket includes what the pauses earned", () => {
    const output = parseIperf3Text(recorded('duty-cycle.server'));

    const { verdict } = judgeMeasurement(assembleOutput(output), { truncated: false, dutyCycle });

    // The shaper: 400 Mbit/s, then 100, with 3.6 Gbit on the wire above it: 12 s of load and 4 s × 100 Mbit/s more.
    expect(verdict!.onset!.value).toBeCloseTo(12 + 5.3, 0);
    expect(verdict!.baseline!.value).toBeCloseTo(96e6, -7);
    expect(verdict!.ifNetworkCredits!.bucket!.value / 3.6e9).toBeGreaterThan(0.93);
    expect(verdict!.ifNetworkCredits!.bucket!.value / 3.6e9).toBeLessThan(1);
    expect(verdict!.explanation).toContain(
      '(duty cycle of 8 s on and 4 s off: times omit the pauses; with the pauses, the drop is at 17.4 s; 8 of 8 on-phases reached the burst rate)',
    );
  });

  test('the seconds in which a receiver empties the queue after its run are not load', () => {
    const text = recorded('duty-cycle.server').replace(
      /^(run 1 at \S+ s: \[ +5\] +8\.00-)8\.\d\d( .*)$/m,
      (_, before: string, after: string) => `${before}9.00${after}`,
    );

    const firstRun = parseIperf3Text(text).intervals.filter(({ startSeconds }) => startSeconds < 10);

    expect(text).toMatch(/^run 1 .* 8\.00-9\.00 /m);
    expect(firstRun.map(({ endSeconds }) => Math.round(endSeconds))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('a run that is missing is named', () => {
    const text = recorded('duty-cycle.client');

    const withoutLast = text.slice(0, text.indexOf('run 8 at'));
    const cutOff = text.slice(0, text.lastIndexOf('Test Complete'));
    const headless = text.slice(text.indexOf('run 2 at'));

    expect(parseIperf3Text(withoutLast).incompleteReason).toBe('7 of 8 runs of the duty cycle are there');
    expect(parseIperf3Text(cutOff).incompleteReason).toBe(
      'run 8 of the duty cycle: no final summary of the receiver (forward)',
    );
    expect(parseIperf3Text(headless).incompleteReason).toBe('the beginning of the duty cycle is missing');
  });

  test('a server that disappears fails the run that could not reach it', () => {
    const output = parseIperf3Text(recorded('duty-cycle-refused.client'));

    expect(output).toMatchObject({
      complete: false,
      incompleteReason: 'run 3 of the duty cycle: iperf3: error - unable to connect to server: Connection refused',
    });
    expect(output.intervals.at(-1)!.endSeconds).toBeGreaterThan(7.9);
  });
});

describe('ended 10 s after the throttle was seen', () => {
  const text = recorded('early-end-with-probe.client');

  test('the client is complete, and reports why it ended', () => {
    const output = parseIperf3Text(text);

    expect(output).toMatchObject({ complete: true, durationSeconds: 90, errors: [] });
    expect(output.endedOnPurpose).toMatch(/^stopped 10 s after the throttle seen at (29|30|31) s$/);
    expect(output.intervals.at(-1)!.endSeconds).toBeLessThan(45);
    // The server has not reported its figures, so the zeros are not a summary.
    expect(output.summaries.map(({ side }) => side)).toEqual(['sender']);
  });

  test('the server is complete only if the client reports that the end was on purpose', () => {
    const server = recorded('early-end-with-probe.server');

    expect(parseIperf3Text(server).complete).toBe(false);
    expect(parseIperf3Text(server, { endedOnPurpose: 'stopped' }).complete).toBe(true);
  });

  test('without the driver’s line, the client’s output is a truncated measurement', () => {
    const unexplained = text.replace(/network-benchmark: stopped.*/, 'iperf3: interrupt - the client has terminated');

    expect(parseIperf3Text(unexplained)).toMatchObject({
      complete: false,
      incompleteReason: 'iperf3: interrupt - the client has terminated',
    });
  });
});

describe('the latency probe beside the load', () => {
  const output = parseIperf3Text(recorded('early-end-with-probe.client'));

  test('ten round trips a second, on the axis of the load', () => {
    const trips = output.roundTrips!;
    const end = output.intervals.at(-1)!.endSeconds;

    // The windows overlap a little, so no second is missing.
    expect(trips.length / end).toBeGreaterThan(9);
    expect(trips.length / end).toBeLessThan(11.5);
    const seconds = new Set(trips.map(({ startSeconds }) => Math.floor(startSeconds)));
    for (let second = 1; second < end - 1; second += 1) expect(seconds).toContain(second);
    expect(output.warnings).toEqual([]);
  });

  test('the queue at the lower rate makes round trips longer', () => {
    const { verdict } = judgeMeasurement(assembleOutput(output), { truncated: false });
    const { before, after } = loadedLatency(output.roundTrips!, verdict!.onset!.value);

    // 1.5 MB take 30 ms at 400 Mbit/s and 120 ms at 100 Mbit/s.
    expect(before!.rttMicros.p50!).toBeGreaterThan(20e3);
    expect(before!.rttMicros.p50!).toBeLessThan(40e3);
    expect(after!.rttMicros.p50!).toBeGreaterThan(90e3);
    expect(before!.observations + after!.observations).toBe(output.roundTrips!.length);
  });

  test('without an onset, all round trips count as before it', () => {
    expect(loadedLatency(output.roundTrips!, null).after).toBeUndefined();
    expect(loadedLatency(output.roundTrips!, null).before!.observations).toBe(output.roundTrips!.length);
  });

  test('a percentile is present only where there are enough round trips for it', () => {
    const { before } = loadedLatency(output.roundTrips!.slice(0, 99), null);

    expect(before!.rttMicros).toHaveProperty('p95');
    expect(before!.rttMicros.p99).toBeUndefined();
  });

  test('a warning reports the windows in which nothing came back', () => {
    const text = `${recorded('early-end-with-probe.client')}\nprobe: none: Can't connect socket (errno=111)\n`;

    expect(parseIperf3Text(text).warnings).toEqual([
      "latency probe: nothing came back in 1 of its windows: Can't connect socket (errno=111)",
    ]);
  });
});

describe('both directions, each with its own bucket', () => {
  test('each direction has its verdict', () => {
    const output = parseIperf3Text(recorded('bidirectional-throttled.client'));

    // Bursts of eight seconds are too few to believe without their hosts. Acknowledgements of one direction wait in the
    // other's queue, so that the last rate is no baseline in reverse.
    const type = facts('c5.large', 0.191, 10);
    const known = { clientType: type, serverType: type, truncated: false };
    const { verdict, otherDirection } = judgeMeasurement(assembleOutput(output), known);

    expect(verdict).toMatchObject({ direction: 'forward', kind: 'drop', cause: 'network_credits' });
    expect(verdict!.baseline!.value / 191e6).toBeCloseTo(1, 1);
    expect(otherDirection).toMatchObject({ direction: 'reverse', bucket: null });
  });
});
