/** The verdict as a badge: its colour and its sign say what it says, and the words say it without them. */
import { verdictWord, type Cause, type VerdictKind } from '../model/verdict';
import { spaced } from '../text/format';
import { html, type Html } from './page/html';

/**
 * | tone         | the verdict says                                    | colour of Okabe and Ito |
 * | ------------ | --------------------------------------------------- | ----------------------- |
 * | `holds`      | the rate lasts                                      | bluish green            |
 * | `falls`      | the rate fell for good, or traffic stopped          | vermilion               |
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

/** A level at all that was offered, or at a limit that nobody knows, leaves open what the pair carries. */
const OPEN_CAUSES: readonly (Cause | null)[] = ['tool_target', 'not_known'];

export interface BadgedVerdict {
  readonly kind: VerdictKind;
  readonly cause: Cause | null;
  /** The rate spends credits that did not run out while it was measured. */
  readonly bucketBitsAtLeast?: number | null;
}

/** The style sheet has the colour and the sign of each tone. */
export function verdictBadge(verdict: BadgedVerdict): Html {
  return html`<span class="badge ${toneOf(verdict)}">${spaced(verdictWord(verdict))}</span>`;
}

function toneOf({ kind, cause, bucketBitsAtLeast = null }: BadgedVerdict): Tone {
  if (TONES[kind] !== 'holds') return TONES[kind];
  if (bucketBitsAtLeast !== null || OPEN_CAUSES.includes(cause)) return 'undecided';
  return cause === null ? 'holds' : 'limited';
}
