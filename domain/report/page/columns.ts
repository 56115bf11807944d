/** Badges and cells that several tables and cards share. The page's script has some, so this imports no settings. */
import { gigabits, spaced } from '../../text/format';
import { html, isEmpty, type Html, type HtmlValue } from './html';
import type { Interval } from '../../maths/interval';
import type { ContendedShare } from '../../model/contended';
import { heldBackBy, verdictWord, withheldCpuOf, type Cause, type VerdictKind } from '../../model/verdict';
import type { MeasurementResult } from '../../model/result';
import { intervalText } from '../../run/words';

/**
 * | tone         | the verdict says                                    | colour of Okabe and Ito |
 * | ------------ | --------------------------------------------------- | ----------------------- |
 * | `holds`      | the rate lasts                                      | bluish green            |
 * | `falls`      | the rate dropped for good, or traffic stopped       | vermilion               |
 * | `wavers`     | the rate is not one level                           | reddish purple          |
 * | `limited`    | a limit that is named binds the rate                | blue                    |
 * | `undecided`  | the measurement does not show it                    | orange, and dashed      |
 */
type Tone = 'holds' | 'falls' | 'wavers' | 'limited' | 'undecided';

const TONES: Readonly<Record<VerdictKind, Tone>> = {
  steady: 'holds',
  drop: 'falls',
  drops: 'falls',
  cycle: 'falls',
  outage: 'falls',
  ramp: 'wavers',
  noisy: 'wavers',
  dips: 'wavers',
  shift: 'wavers',
  insufficient: 'undecided',
};

/** Steady rates at the offered load, or at an unknown limit, do not show how much the pair can carry. */
const OPEN_CAUSES: readonly (Cause | null)[] = ['tool_target', 'not_known'];

export interface BadgedVerdict {
  readonly kind: VerdictKind;
  readonly cause: Cause | null;
  /** Present where the rate spent credits that did not run out during the measurement. */
  readonly bucketBitsAtLeast?: number | null;
}

export const badge = (tone: Tone | 'good' | 'bad' | 'warn' | '', words: HtmlValue) =>
  html`<span class="${`badge ${tone}`.trimEnd()}">${words}</span>`;

export const stacked = (badges: HtmlValue) => html`<span class="stack">${badges}</span>`;

/** Shows a value with notes in small letters below it. */
export const withNotes = (value: HtmlValue, ...notes: readonly HtmlValue[]) =>
  html`${value}${notes.map((note) => !isEmpty(note) && html`<small>${note}</small>`)}`;

/** The colour and the sign of a badge come from the style sheet, by its tone. */
export const verdictBadge = (verdict: BadgedVerdict) => badge(toneOf(verdict), spaced(verdictWord(verdict)));

function toneOf({ kind, cause, bucketBitsAtLeast = null }: BadgedVerdict): Tone {
  if (TONES[kind] !== 'holds') return TONES[kind];
  if (bucketBitsAtLeast !== null || OPEN_CAUSES.includes(cause)) return 'undecided';
  return cause === null ? 'holds' : 'limited';
}

const STATUS_TONES = { complete: '', truncated: 'warn', failed: 'bad', not_applicable: '' } as const;

/** A complete measurement has no colour, because its status says nothing about the network. */
export const statusBadge = (status: MeasurementResult['status']) => badge(STATUS_TONES[status], spaced(status));

export function kindBadge({ verdict }: MeasurementResult): Html | undefined {
  if (verdict === null) return undefined;
  const isWithheld = withheldCpuOf(verdict) !== undefined;
  return html`${isWithheld && badge('warn', 'out of CPU credits')}${verdictBadge(verdict)}`;
}

export function packetBadge({ packetVerdict }: MeasurementResult): HtmlValue {
  return packetVerdict && verdictBadge(packetVerdict);
}

/** Undefined unless other work kept the processors of a host busy; the cards have the figures. */
export function contentionBadge({ contendedCount, count }: ContendedShare): Html | undefined {
  if (contendedCount === 0) return undefined;
  return badge('warn', ['processors busy', contendedCount < count && ` (${contendedCount} of ${count})`]);
}

/** Undefined unless an allowance of a host held the round trips back. */
export function heldBackBadge(result: MeasurementResult): Html | undefined {
  const cause = heldBackBy(result);
  return cause && badge('warn', `held back: ${spaced(cause)}`);
}

export function bucket({ verdict }: MeasurementResult): string | undefined {
  const atLeast = gigabits(verdict?.bucketBitsAtLeast);
  return gigabits(verdict?.bucket?.value) ?? (atLeast === undefined ? undefined : `≥ ${atLeast}`);
}

export function withInterval(
  interval: Interval | null | undefined,
  format: (value: number) => string,
): Html | undefined {
  const text = intervalText(interval, format);
  return text && html`${text.value}<small class="nowrap">${text.low}–${text.high}</small>`;
}
