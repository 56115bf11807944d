/**
 * The allowances of an instance besides its bandwidth, each with a counter of its own at either end (EC2 user guide,
 * "Monitor network performance for ENA settings"): packets per second, tracked connections, and outbound IP fragments,
 * which are counted with the packets.
 *
 * | counter of an end                                                        | the cause is |
 * | ------------------------------------------------------------------------ | ------------ |
 * | grew second after second, and twice as much as its bandwidth counter     | shown        |
 * | grew second after second, and so did its bandwidth counter               | possible     |
 * | did not grow, or now and then only                                       | ruled out    |
 * | was not read                                                             | not read     |
 */
import { sum } from '../../maths/statistics';
import { FRAGMENTS_PER_SECOND } from '../../model/ec2-facts';
import {
  ALLOWANCE_WORDS,
  growingShare,
  growthOf,
  packetsPerSecond,
  SHAPED_SHARE,
  type Allowance,
} from '../allowance-counters';
import type { Endpoint } from '../evidence';
import { ENDPOINTS } from '../published-limits';
import { notRead, possible, ruledOut, shown, type CauseModule, type Finding, type Subject } from './cause';

type OtherAllowance = Exclude<Allowance, 'bandwidth'>;
/** Bursts within a second exceed the bandwidth now and then, whatever limits the rate. */
const FAR_MORE = 2;

/** Whether packets were held back for their number rather than for their bits when the rate fell. */
export function packetRateOutgrows(end: Endpoint, { growth }: Subject): boolean {
  const at = (which: Allowance) => growth[which].find((each) => each.end === end);
  const packets = at('packetRate');
  return packets?.behaviour === 'begins' && packets.after > (at('bandwidth')?.after ?? 0);
}

function ofDrop(which: OtherAllowance, { growth }: Subject): Finding {
  const found = growth[which];
  if (found.length === 0) return notRead(`the counters of the ${ALLOWANCE_WORDS[which]} were not read`);
  const outgrows = ({ end, after }: (typeof found)[number]) =>
    after > FAR_MORE * (growth.bandwidth.find((each) => each.end === end)?.after ?? 0);
  const begun = found.find(
    (each) => outgrows(each) && (each.behaviour === 'begins' || each.behaviour === 'throughout'),
  );
  if (begun) {
    const { end, after } = begun;
    return shown(
      `the ${ALLOWANCE_WORDS[which]} of the ${end} ran out: it held back ${after.toFixed(0)} packets per second`,
      {
        end,
      },
    );
  }
  const other = found.find(({ behaviour }) => behaviour === 'begins' || behaviour === 'throughout');
  if (other)
    return possible(`the ${ALLOWANCE_WORDS[which]} of the ${other.end} held packets back, but so did its bandwidth`);
  return ruledOut(`the ${ALLOWANCE_WORDS[which]} held back hardly any packet after the fall`);
}

function ofLevel(which: OtherAllowance, { evidence }: Subject): Finding {
  const read = ENDPOINTS.map((end) => ({ end, growth: growthOf(evidence, end, which) })).filter(
    ({ growth }) => growth.length > 0,
  );
  if (read.length === 0) return notRead(`the counters of the ${ALLOWANCE_WORDS[which]} were not read`);
  const lasting = read.find(
    ({ end, growth }) =>
      growingShare(growth) >= SHAPED_SHARE && packetsPerSecond(growth) > packetsPerSecond(growthOf(evidence, end)),
  );
  if (!lasting) return ruledOut(`the ${ALLOWANCE_WORDS[which]} held back hardly any packet`);
  const packets = sum(lasting.growth.map((each) => each.packets));
  return shown(`the ${ALLOWANCE_WORDS[which]} of the ${lasting.end} held back ${packets} packets`, {
    end: lasting.end,
  });
}

export const packetRate: CauseModule = {
  cause: 'packet_rate',
  ofDrop: (subject) => ofDrop('packetRate', subject),
  ofLevel: (subject) => ofLevel('packetRate', subject),
};

export const connectionTracking: CauseModule = {
  cause: 'connection_tracking',
  ofDrop: (subject) => ofDrop('connectionTracking', subject),
  ofLevel: (subject) => ofLevel('connectionTracking', subject),
};

/** EC2 drops the fragments beyond 1,024 a second and interface, and counts them with the packets (ENA guide). */
function ofFragments(finding: Finding, { evidence }: Subject): Finding {
  const { fragmentsPerDatagram: count } = evidence;
  if (count === undefined) return ruledOut('no fragments were sent');
  if (finding.standing !== 'shown') return finding;
  return shown(
    `each datagram was sent in ${count} IP fragments, and EC2 lets ${FRAGMENTS_PER_SECOND} of them out per second`,
    {
      end: 'sender',
    },
  );
}

/** Before the packet rate, whose counter it shares. */
export const fragmentRate: CauseModule = {
  cause: 'fragment_rate',
  ofDrop: (subject) => ofFragments(ofDrop('packetRate', subject), subject),
  ofLevel: (subject) => ofFragments(ofLevel('packetRate', subject), subject),
};
