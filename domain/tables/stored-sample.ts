/** Which digits of a sample are stored. An analysis computes with all of them. */
import type { Sample } from '../model/sample';

// A counter is read some ten microseconds before or after its time, and the driver's milliseconds. More digits than these
// would say nothing, and were half of the bytes that a measurement left in the store.
const tenthsOfMillis = (seconds: number) => Math.round(seconds * 1e4) / 1e4;
const sixDigits = (rate: number) => Number(rate.toPrecision(6));
/** The kernel counts most processor time in ticks, of which each is one percent of a second. */
const hundredths = (percent: number) => Math.round(percent * 100) / 100;

const COUNTED: ReadonlySet<Sample['metric']> = new Set(['interface', 'allowance', 'tool_cpu']);
const DIGITS: Readonly<Partial<Record<keyof Sample, (value: number) => number>>> = {
  receivedBitsPerSecond: sixDigits,
  sentBitsPerSecond: sixDigits,
  receivedPacketsPerSecond: sixDigits,
  sentPacketsPerSecond: sixDigits,
  userCpuPercent: hundredths,
  systemCpuPercent: hundredths,
  stealCpuPercent: hundredths,
  waitingCpuPercent: hundredths,
  cpuPressurePercent: hundredths,
};

/** Returns a sample of a host's counters with the digits that they were read with, and any other unchanged. */
export function storedSample(sample: Sample): Sample {
  if (!COUNTED.has(sample.metric)) return sample;
  const startSeconds = tenthsOfMillis(sample.startSeconds);
  // Both ends are rounded, so that the intervals stay without gaps.
  const endSeconds = tenthsOfMillis(sample.startSeconds + sample.lengthSeconds);
  const figures = Object.entries(sample).map(([name, value]) => {
    const digits = DIGITS[name as keyof Sample];
    return [name, digits === undefined ? value : digits(value as number)] as const;
  });
  const rounded = Object.fromEntries(figures) as unknown as Sample;
  return { ...rounded, startSeconds, lengthSeconds: tenthsOfMillis(endSeconds - startSeconds) };
}
