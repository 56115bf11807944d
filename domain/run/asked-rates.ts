/** The rates for which the answer says how long each type holds them. */
import { carries, holdSecondsOf } from '../model/carried-rate';
import type { TypeRow } from './type-rows';

/** People ask for these; they are shown as soon as one type reaches them. */
const USUAL_BITS_PER_SECOND = [1e9, 2e9, 5e9, 10e9];
/** Shown where the types differ in them: slower and faster types have their own. */
const FURTHER_BITS_PER_SECOND = [0.1e9, 0.2e9, 0.5e9, 20e9, 50e9, 100e9];

/** In ascending order. */
export function askedRates(rows: readonly TypeRow[]): number[] {
  const isReached = (rate: number) => rows.some((row) => carries(highestOf(row), rate));
  const further = FURTHER_BITS_PER_SECOND.filter((rate) => isReached(rate) && differ(rows, rate));
  return [...USUAL_BITS_PER_SECOND.filter(isReached), ...further].sort((left, right) => left - right);
}

const highestOf = ({ burst, sustained }: TypeRow) => Math.max(burst?.value ?? 0, sustained?.value ?? 0);

/** Whether some row holds the rate for a while only. */
function differ(rows: readonly TypeRow[], bitsPerSecond: number): boolean {
  return rows.some((row) => {
    const held = row.holdOf(bitsPerSecond);
    return held !== undefined && Number.isFinite(holdSecondsOf(held.hold)) && held.hold.kind !== 'never';
  });
}

/** Rates beside each other of which the same is said. */
export interface AlikeRates {
  /** `0.1 or 0.2 Gbit/s` */
  readonly name: string;
  /** Any of them in bits per second. */
  readonly bitsPerSecond: number;
}

export function alikeRates(
  rates: readonly number[],
  textOf: (bitsPerSecond: number) => string | undefined,
): AlikeRates[] {
  const groups: { readonly bitsPerSecond: number; readonly rates: number[]; readonly text: string | undefined }[] = [];
  for (const rate of rates) {
    const last = groups.at(-1);
    const text = textOf(rate);
    if (last !== undefined && last.text === text) last.rates.push(rate);
    else groups.push({ bitsPerSecond: rate, rates: [rate], text });
  }
  return groups.map((group) => ({ bitsPerSecond: group.bitsPerSecond, name: `${inGigabits(group.rates)} Gbit/s` }));
}

function inGigabits(rates: readonly number[]): string {
  const texts = rates.map((rate) => String(rate / 1e9));
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter((text) => text !== '').join(' or ');
}
