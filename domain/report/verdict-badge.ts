/** The verdict as a badge: its colour and its sign say what it says, and the words say it without them. */
import type { PacketVerdictKind } from '../model/packet-verdict';
import type { VerdictKind } from '../model/verdict';
import { spaced } from '../text/format';
import { html, type Html } from './html';

/**
 * | tone         | the verdict says                                    | colour of Okabe and Ito |
 * | ------------ | --------------------------------------------------- | ----------------------- |
 * | `holds`      | the rate lasts                                      | bluish green            |
 * | `falls`      | credits ran out, or the rate fell for good          | vermilion               |
 * | `wavers`     | the rate is not one level                           | reddish purple          |
 * | `limited`    | a limit that is named binds the rate                | blue                    |
 * | `undecided`  | the measurement does not show it                    | orange, and dashed      |
 */
type Tone = 'holds' | 'falls' | 'wavers' | 'limited' | 'undecided';

const TONES: Readonly<Record<VerdictKind | PacketVerdictKind, Tone>> = {
  steady: 'holds',
  burst_then_throttle: 'falls',
  multi_step: 'falls',
  periodic_recharge: 'falls',
  lasting_drop: 'falls',
  ramp: 'wavers',
  noisy: 'wavers',
  transient_dips: 'wavers',
  level_shift: 'wavers',
  flow_capped: 'limited',
  cpu_bound: 'limited',
  peer_limited: 'limited',
  not_observed_within_window: 'undecided',
  insufficient: 'undecided',
  packet_limited: 'limited',
  conntrack_limited: 'limited',
  bandwidth_limited: 'limited',
  offered_load: 'undecided',
  limit_unknown: 'undecided',
};

/** The style sheet has the colour and the sign of each tone. */
export function verdictBadge(kind: VerdictKind | PacketVerdictKind): Html {
  return html`<span class="badge ${TONES[kind]}">${spaced(kind)}</span>`;
}
