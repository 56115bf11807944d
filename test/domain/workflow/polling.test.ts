import type { PlannedMeasurement } from '../../../domain/model/planned-run';
import { probeCommand } from '../../../domain/tools/commands';
import {
  HISTORY_EVENT_BUDGET,
  commandPollCount,
  hostDeadlines,
  pairHistoryEvents,
  secondsUntilNextCommandPoll,
} from '../../../domain/workflow/polling';

/** Elapsed seconds at which a command is looked at that takes `endsAt` seconds. */
function looks(expectedSeconds: number, endsAt: number): number[] {
  const times = [0];
  while (times.at(-1)! < endsAt)
    times.push(times.at(-1)! + secondsUntilNextCommandPoll(times.at(-1)!, expectedSeconds));
  return times;
}

const thirtyMinutes = { expectedSeconds: 1805, deadlineSeconds: 1925 };
const short = { expectedSeconds: 3, deadlineSeconds: 60 };

test('a short command is polled every second', () => {
  expect(looks(3, 3)).toEqual([0, 1, 2, 3]);
  expect(looks(30, 4)).toEqual([0, 1, 2, 3, 4]);
});

test('a long command is polled every second at first, then every 10 s, then every 45 s, and every 2 s around its expected end', () => {
  const times = looks(1805, 1806);
  expect(times.slice(3, 14)).toEqual([3, 4, 5, 15, 25, 35, 45, 55, 65, 110, 155]);
  expect(times.slice(-3)).toEqual([1802, 1804, 1806]);
  expect(Math.max(...times.slice(1).map((time, index) => time - times[index]!))).toBe(45);
});

test('an overdue command is polled every 30 s until its deadline', () => {
  expect(looks(60, 200).slice(-3)).toEqual([163, 193, 223]);
});

test('a poll comes at most two seconds after the expected end', () => {
  for (let expectedSeconds = 1; expectedSeconds < 400; expectedSeconds += 1) {
    const first = looks(expectedSeconds, expectedSeconds).at(-1)!;
    expect(first - expectedSeconds).toBeLessThanOrEqual(2);
  }
});

test('fifteen short measurements before a long one fit one pair', () => {
  const ping = { serve: short, measure: { expectedSeconds: 13, deadlineSeconds: 103 } };
  const measurements = [...Array.from({ length: 15 }, () => ping), { serve: short, measure: thirtyMinutes }];
  expect(
    pairHistoryEvents(hostDeadlines(false), { expectedSeconds: 30, deadlineSeconds: 600 }, measurements),
  ).toBeLessThan(HISTORY_EVENT_BUDGET);
});

test('a measurement of 30 minutes stays far below the budget, and many of them exceed it', () => {
  const measurement = { serve: short, measure: thirtyMinutes };
  expect(commandPollCount(thirtyMinutes)).toBeLessThan(80);
  expect(pairHistoryEvents(hostDeadlines(false), short, [measurement])).toBeLessThan(HISTORY_EVENT_BUDGET * 0.4);
  expect(
    pairHistoryEvents(
      hostDeadlines(false),
      short,
      Array.from({ length: 20 }, () => measurement),
    ),
  ).toBeGreaterThan(HISTORY_EVENT_BUDGET);
});

test('a probe of the way counts, and its end is polled densely also where nothing arrives', () => {
  const probe = probeCommand(
    { runId: 'run-1', pairId: 'p0001', bucketName: 'results', serverAddress: '10.0.0.1' },
    { path: 'own', measurements: [{ port: 5201 } as PlannedMeasurement] },
  )!;
  const events = (probed: typeof probe | null) => pairHistoryEvents(hostDeadlines(false), short, [], probed);
  expect(events(probe) - events(null)).toBeGreaterThan(10 * 16);
  expect(events(probe) - events(null)).toBeLessThan(HISTORY_EVENT_BUDGET * 0.1);
  // tracepath may be waited for 10 s, and then takes 25 s where nothing answers.
  for (const seconds of [25, 30, 35]) {
    expect(secondsUntilNextCommandPoll(seconds, probe.expectedSeconds)).toBeLessThanOrEqual(2);
  }
  expect(probe.deadlineSeconds).toBeGreaterThan(35 + 30);
});

test('bare metal has time for starts of over 20 and stops of over 19 minutes, and its polls count', () => {
  expect(hostDeadlines(false)).toEqual({ onlineDeadlineSeconds: 600, tearDownDeadlineSeconds: 900 });
  const { onlineDeadlineSeconds, tearDownDeadlineSeconds } = hostDeadlines(true);
  expect(Math.min(onlineDeadlineSeconds, tearDownDeadlineSeconds)).toBeGreaterThan(2 * 20 * 60);
  const events = [false, true].map((isBareMetal) => pairHistoryEvents(hostDeadlines(isBareMetal), short, []));
  expect(events[1]! - events[0]!).toBeGreaterThan(0);
  expect(events[1]).toBeLessThan(HISTORY_EVENT_BUDGET * 0.5);
});
