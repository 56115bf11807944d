/** Words that the answer's sentences and tables share. */
import { threeDigits } from '../text/format';
import { heldSeconds, type AnswerFigure, type AnswerRow } from '../model/answer';

export interface TimeUnit {
  readonly name: 's' | 'min';
  readonly seconds: number;
}

/** If one time is this long or longer, all times are written in minutes. */
const MINUTES_FROM_SECONDS = 600;

export function timeUnitOf(rows: readonly AnswerRow[]): TimeUnit {
  const times = rows.flatMap(({ holds, burstSeconds }) => [
    ...holds.map(heldSeconds).filter(Number.isFinite),
    burstSeconds?.value ?? 0,
  ]);
  const isLong = times.some((seconds) => seconds >= MINUTES_FROM_SECONDS);
  return isLong ? { name: 'min', seconds: 60 } : { name: 's', seconds: 1 };
}

/** Formats a time without its unit, for a table. */
export const inUnit = (seconds: number, unit: TimeUnit) => threeDigits(seconds / unit.seconds);

/** `53.2 min` */
export const timeWords = (seconds: number, unit: TimeUnit) => `${inUnit(seconds, unit)} ${unit.name}`;

/** `0.17 USD an hour` */
export const hourlyPrice = (usd: number) => `${priceText(usd)} USD an hour`;

/** Cents, and three digits of a price below 10 cents. */
export const priceText = (usd: number) => (usd < 0.1 ? threeDigits(usd) : usd.toFixed(2));

/** `5.02 or 9.69` where the values form several modes. */
export function figureText(
  { value, modes = [value] }: Pick<AnswerFigure, 'value' | 'modes'>,
  format: (value: number) => string,
): string {
  return modes.map(format).join(' or ');
}

/** How long the burst lasts, without the unit. Of several modes, the slower burst lasts longer and comes first. */
export function lastsText({ burst, burstSeconds }: AnswerRow, unit: TimeUnit): string {
  const { value, modes = [value] } = burstSeconds ?? { value: NaN };
  const ordered = burst?.modes === undefined ? modes : [...modes].reverse();
  return ordered.map((seconds) => inUnit(seconds, unit)).join(' or ');
}

/** `47 to 60`; undefined where there is no range, or both ends look the same. */
export function rangeText(
  { low, high }: { readonly low: number | null; readonly high: number | null },
  format: (value: number) => string,
): string | undefined {
  if (low === null) return undefined;
  if (high === null) return `${format(low)} or more`;
  return format(low) === format(high) ? undefined : `${format(low)} to ${format(high)}`;
}

/** `A, B and C`; of more than `most` items the number of the others. */
export function listed(items: readonly string[], most = 4): string {
  if (items.length > most + 1) return `${items.slice(0, most).join(', ')} and ${items.length - most} more`;
  return [items.slice(0, -1).join(', '), ...items.slice(-1)].filter((item) => item !== '').join(' and ');
}

/** Adjacent rates of which the same is said. */
export interface AlikeRates {
  /** `0.1 or 0.2 Gbit/s` */
  readonly name: string;
  /** One of the rates, in bits per second. */
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
