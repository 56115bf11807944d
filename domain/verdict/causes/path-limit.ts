/**
 * A limit between the hosts that nobody publishes, such as a policer of a gateway or of another network. Nothing measures
 * it, so it is shown by what is left when the hosts were read and are not the cause.
 *
 * | evidence                                                                             | a limit on the way is |
 * | ------------------------------------------------------------------------------------ | --------------------- |
 * | another cause is shown                                                               | not examined          |
 * | the lower rate scatters as no limited rate does                                      | ruled out             |
 * | the counters of both ends stayed silent, and both ends have processors left          | shown                 |
 * | network credits are ruled out, and 5 % of the segments or more are sent again        | shown                 |
 * | any other                                                                            | possible              |
 */
import { formatRate } from '../../text/format';
import { growthAroundFall } from '../allowance-growth';
import { isSaturated } from '../limits';
import { ENDS } from '../published-limits';
import { possible, ruledOut, shown, type CauseModule, type Subject } from './cause';
import { isHeld } from './held-rate';
import { heavyLoss } from './packet-loss';

export const pathLimit: CauseModule = {
  cause: 'path_limit',
  ofFall: (subject, earlier) => {
    if ([...earlier.values()].some(({ standing }) => standing === 'shown')) return undefined;
    const level = subject.shape.throttle?.baselineBitsPerSecond ?? 0;
    if (!isHeld(subject.shape, subject.evidence)) return ruledOut('the lower rate scatters more than a limited one');
    if (areHostsExcluded(subject)) {
      return shown(
        `${formatRate(level)} is held to the end, and the counters and processors of both hosts show no limit of theirs`,
      );
    }
    const areCreditsExcluded = earlier.get('network_credits')?.standing === 'ruled_out';
    if (areCreditsExcluded && heavyLoss(subject.shape, subject.evidence) !== undefined) {
      return shown(`${formatRate(level)} is held to the end by dropping packets, and network credits are ruled out`);
    }
    return possible('nothing that was read excludes a limit between the hosts');
  },
};

function areHostsExcluded({ shape, evidence }: Subject): boolean {
  const read = growthAroundFall(shape, evidence);
  const areSilent = ENDS.every((end) => read.some((each) => each.end === end && each.behaviour === 'silent'));
  const areFree = evidence.cpu !== undefined && ENDS.every((end) => !isSaturated(end, evidence));
  return areSilent && areFree;
}
