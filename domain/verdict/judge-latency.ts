/**
 * The verdict on round trips: whether an allowance of a host, or its processors, held messages back while they were
 * measured. Both hosts send and receive, so that the counters of both directions count at either of them.
 *
 * | evidence                                                                   | cause               | standing  |
 * | -------------------------------------------------------------------------- | ------------------- | --------- |
 * | a bandwidth counter grew by a large share of the packets, second after     | network_credits     | shown     |
 * | second, while the host carried its published baseline                      |                     |           |
 * | the same on a type whose baseline is its peak                              | published_bandwidth | shown     |
 * | it grew by less, or at other rates only: bursts, for which credits are left | the same           | ruled out |
 * | messages are sent in fragments, and a packet-rate counter grew             | fragment_rate       | shown     |
 * | messages are sent in fragments, and lost at the rate that EC2 lets out     | fragment_rate       | shown     |
 * | whole packets are sent, and a packet-rate counter grew                     | packet_rate         | shown     |
 * | the counter of tracked connections grew                                    | connection_tracking | shown     |
 * | other work kept the processors busy                                        | cpu                 | shown     |
 * | a counter grew in few seconds, by few packets for the number of messages   | the same            | possible  |
 * | a counter did not grow at either host                                      | the same            | ruled out |
 * | a counter did not grow at one host and was not read at the other           | the same            | not read  |
 *
 * Where no baseline is published, or the rate was not read, growth of a bandwidth counter alone shows the cause. Of
 * several causes that are shown, the one that held back the most packets is named, and CPU last.
 */
import { sum } from '../maths/statistics';
import { FRAGMENTS_PER_SECOND } from '../model/ec2-facts';
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { Cause, ExaminedCause, LatencyVerdict, Standing } from '../model/verdict';
import type { Sample } from '../model/sample';
import { ALLOWANCE_WORDS, SHAPED_SHARE } from './causes/allowances';
import { notRead, possible, ruledOut, shown, type Finding } from './causes/cause';
import { canHaveCredits, isNear, type AllowanceGrowth } from './evidence';

/** Growth in few seconds counts only if the packets held back are at least this share of all round trips. */
const HELD_BACK_SHARE = 0.01;
/** The least share of a second's packets: shaping queues most of them, a burst of microseconds one in a hundred. */
const SHAPED_PACKETS_SHARE = 0.1;
/** The tool's rate as a share of the limit of fragments; it is an average that includes the tool's start and end. */
const AT_FRAGMENT_LIMIT = { least: 0.9, most: 1.02 } as const;

/** What the counters of a host did within one second, and what its interface carried. */
export type LatencySecond = AllowanceGrowth & Pick<Sample, CarriedField>;

type CarriedField = 'sentBitsPerSecond' | 'receivedBitsPerSecond' | 'sentPacketsPerSecond' | 'receivedPacketsPerSecond';

export interface LatencyEvidence {
  /** The seconds of both hosts; empty if no counter was read. */
  readonly seconds: readonly LatencySecond[];
  readonly types: Readonly<Partial<Record<HostRole, InstanceTypeFacts>>>;
  /** IP fragments of a message; absent if it fits into one packet, and if the path's MTU is unknown. */
  readonly fragmentsPerMessage?: number;
  readonly roundTrips: number;
  /** The rate of a tool that waits for each reply; absent for any other tool. */
  readonly transactionsPerSecond?: number;
  readonly droppedMessages?: number;
  readonly isProcessorUseKnown: boolean;
  readonly cpuContention?: string;
}

interface Allowance {
  readonly words: string;
  readonly counters: readonly Exclude<keyof AllowanceGrowth, 'hostRole' | 'startSeconds'>[];
  readonly causeAt: (hostRole: HostRole, evidence: LatencyEvidence) => Cause;
}

const ALLOWANCES: readonly Allowance[] = [
  {
    words: ALLOWANCE_WORDS.bandwidth,
    counters: ['bwInAllowanceExceeded', 'bwOutAllowanceExceeded'],
    causeAt: (hostRole, { types }) => (canHaveCredits(types[hostRole]) ? 'network_credits' : 'published_bandwidth'),
  },
  {
    words: ALLOWANCE_WORDS.packetRate,
    counters: ['ppsAllowanceExceeded'],
    causeAt: (_, { fragmentsPerMessage }) => (fragmentsPerMessage === undefined ? 'packet_rate' : 'fragment_rate'),
  },
  {
    words: ALLOWANCE_WORDS.connectionTracking,
    counters: ['conntrackAllowanceExceeded'],
    causeAt: () => 'connection_tracking',
  },
];

/** The sample fields with the traffic in the direction of each bandwidth counter. */
const CARRIED = {
  bwInAllowanceExceeded: { bits: 'receivedBitsPerSecond', packets: 'receivedPacketsPerSecond' },
  bwOutAllowanceExceeded: { bits: 'sentBitsPerSecond', packets: 'sentPacketsPerSecond' },
} as const satisfies Partial<Record<keyof AllowanceGrowth, Record<string, CarriedField>>>;

interface HostFinding extends ExaminedCause {
  readonly hostRole: HostRole | null;
  /** Packets that were queued or dropped; 0 if another fact shows the cause. */
  readonly packets: number;
}

export function judgeLatency(evidence: LatencyEvidence): LatencyVerdict {
  const findings = [...ALLOWANCES.map((allowance) => ofAllowance(allowance, evidence)), ofCpu(evidence)];
  const [first] = findings
    .filter(({ standing }) => standing === 'shown')
    .sort((one, other) => other.packets - one.packets);
  return {
    cause: first?.cause ?? null,
    limitedBy: first?.hostRole ?? null,
    causes: findings.map(({ cause, standing, reason }) => ({ cause, standing, reason })),
    explanation: first === undefined ? withoutCause(findings) : withCause(first, evidence),
  };
}

/** Contention by other work is named first, as in every verdict. */
function withCause({ cause, reason }: HostFinding, { cpuContention }: LatencyEvidence): string {
  if (cause === 'cpu') return reason;
  const explanation = `${reason}; the round trips therefore show this limit and not the path`;
  return cpuContention === undefined ? explanation : `${cpuContention}; ${explanation}`;
}

function withoutCause(findings: readonly HostFinding[]): string {
  const first = (wanted: Standing) => findings.find(({ standing }) => standing === wanted)?.reason;
  const possible = first('possible');
  if (possible !== undefined) return `${possible}, which is too few to affect any but the longest round trips`;
  const notRead = first('not_read');
  if (notRead !== undefined) return `it is not known whether anything held messages back: ${notRead}`;
  return 'no allowance of either host held a message back';
}

/** How the counters of an allowance grew at one host. */
interface HostGrowth {
  readonly hostRole: HostRole;
  /** Packets queued or dropped in each second in which a counter was read; 0 if that held no message back. */
  readonly heldBack: readonly number[];
  readonly packets: number;
  /** All packets that were queued or dropped. */
  readonly allPackets: number;
}

function growthAt(hostRole: HostRole, { counters }: Allowance, { seconds, types }: LatencyEvidence): HostGrowth {
  const read = seconds.filter(
    (second) => second.hostRole === hostRole && counters.some((counter) => second[counter] !== undefined),
  );
  const heldBack = read.map((second) =>
    sum(counters.map((counter) => (isHoldingBack(counter, second, types[hostRole]) ? (second[counter] ?? 0) : 0))),
  );
  const all = read.flatMap((second) => counters.map((counter) => second[counter] ?? 0));
  return { hostRole, heldBack, packets: sum(heldBack), allPackets: sum(all) };
}

/** EC2's bandwidth counters also grow in bursts that credits cover, and in bursts of microseconds at low rates. */
function isHoldingBack(
  counter: Allowance['counters'][number],
  second: LatencySecond,
  type: InstanceTypeFacts | undefined,
): boolean {
  if (counter !== 'bwInAllowanceExceeded' && counter !== 'bwOutAllowanceExceeded') return true;
  const [rate, baseline] = [second[CARRIED[counter].bits], type?.baselineBitsPerSecond];
  const packets = second[CARRIED[counter].packets];
  const isShaped = packets === undefined || (second[counter] ?? 0) >= SHAPED_PACKETS_SHARE * packets;
  if (rate === undefined || baseline === undefined) return isShaped;
  // A host whose credits are spent carries about its baseline, also in seconds that contain a short pause of the tool.
  return isShaped && isNear(rate, baseline);
}

/** Judges an allowance by the host where it held back the most packets. */
function ofAllowance(allowance: Allowance, evidence: LatencyEvidence): HostFinding {
  const hosts = HOST_ROLES.map((hostRole) => growthAt(hostRole, allowance, evidence));
  const [most] = hosts.toSorted((one, other) => other.packets - one.packets) as [HostGrowth];
  const { hostRole, packets } = most;
  const cause = allowance.causeAt(hostRole, evidence);
  const ofLoss =
    cause === 'fragment_rate' && isAtFragmentLimit(evidence)
      ? shown(`messages were lost at the rate of EC2's limit on fragments: ${fragmentsInWords(evidence)}`)
      : ofSilence(hosts, allowance);
  return { cause, hostRole, packets, ...(packets > 0 ? ofGrowth(most, cause, allowance, evidence) : ofLoss) };
}

function ofGrowth(
  { hostRole, heldBack, packets }: HostGrowth,
  cause: Cause,
  { words }: Allowance,
  evidence: LatencyEvidence,
): Finding {
  const growing = heldBack.filter((grown) => grown > 0).length;
  const share = `${growing} of ${heldBack.length} seconds`;
  const held = `the ${words} of the ${hostRole} queued or dropped ${inPackets(packets)} in ${share}`;
  // A lost fragment stalls the exchange of messages, so the counter hardly grows any more, and any growth is enough.
  if (cause === 'fragment_rate') return shown(`${held}, because ${fragmentsInWords(evidence)}`);
  const isLasting = growing >= SHAPED_SHARE * heldBack.length || packets >= HELD_BACK_SHARE * evidence.roundTrips;
  if (!isLasting) return possible(held);
  return shown(cause === 'network_credits' ? `${held}, because its network credits were spent` : held);
}

/** Digits are not grouped, because the separator is not ASCII and the sentence also goes to the execution's output. */
function inPackets(count: number): string {
  return `${count} packet${count === 1 ? '' : 's'}`;
}

function ofSilence(hosts: readonly HostGrowth[], { words }: Allowance): Finding {
  const unread = hosts.filter(({ heldBack }) => heldBack.length === 0).map(({ hostRole }) => hostRole);
  if (unread.length > 0)
    return notRead(`the counters of the ${words} were not read at the ${unread.join(' and the ')}`);
  const passing = sum(hosts.map(({ allPackets }) => allPackets));
  return ruledOut(
    passing === 0
      ? `the ${words} held back no packet at either host`
      : `the ${words} queued or dropped ${inPackets(passing)}, but only in bursts; neither host was limited to its baseline`,
  );
}

/** If a tool waits for each reply, every lost message costs it time, so its rate stays at the limit. */
function isAtFragmentLimit({
  fragmentsPerMessage = 0,
  transactionsPerSecond = 0,
  droppedMessages = 0,
}: LatencyEvidence) {
  const share = (fragmentsPerMessage * transactionsPerSecond) / FRAGMENTS_PER_SECOND;
  return droppedMessages > 0 && share >= AT_FRAGMENT_LIMIT.least && share <= AT_FRAGMENT_LIMIT.most;
}

function fragmentsInWords({ fragmentsPerMessage }: LatencyEvidence): string {
  return `each message is sent in ${fragmentsPerMessage} IP fragments, and EC2 forwards at most ${FRAGMENTS_PER_SECOND} fragments per second`;
}

function ofCpu({ cpuContention, isProcessorUseKnown }: LatencyEvidence): HostFinding {
  const found =
    cpuContention === undefined
      ? isProcessorUseKnown
        ? ruledOut("no other work kept either host's processors busy")
        : notRead('it was not measured whether other work kept the processors busy')
      : shown(cpuContention);
  return { cause: 'cpu', hostRole: null, packets: 0, ...found };
}
