/** The unit of all times of the answer, in its sentences as in its table. */
import { holdSecondsOf } from '../../model/carried-rate';
import { threeDigits } from '../../text/format';
import type { TypeRow } from '../../run/type-rows';

export interface TimeUnit {
  readonly name: 's' | 'min';
  readonly seconds: number;
}

/** A time from here on is written in minutes, and with it all others. */
const MINUTES_FROM_SECONDS = 600;

export function timeUnitOf(rows: readonly TypeRow[], rates: readonly number[]): TimeUnit {
  const held = rows.flatMap((row) => rates.map((rate) => row.holdOf(rate)?.hold));
  const times = [
    ...held.map((hold) => (hold === undefined || hold.kind === 'always' ? 0 : holdSecondsOf(hold))),
    ...rows.map(({ onsetSeconds }) => onsetSeconds?.value ?? 0),
  ];
  return times.some((seconds) => seconds >= MINUTES_FROM_SECONDS)
    ? { name: 'min', seconds: 60 }
    : { name: 's', seconds: 1 };
}

/** Without the unit, as a table has it. */
export const inUnit = (seconds: number, unit: TimeUnit) => threeDigits(seconds / unit.seconds);

/** `53.2 min` */
export const timeWords = (seconds: number, unit: TimeUnit) => `${inUnit(seconds, unit)} ${unit.name}`;
