/**
 * What the values of a column mean, for docs/data-model.md and docs/reference/columns.md. The types demand a meaning of
 * each value that the code has, so that no document can lack a new one.
 */
import type { Question } from '../domain/model/answer';
import type { HOLD_KINDS, RATE_BOUNDS } from '../domain/model/carried-rate';
import type { EnaExpress, NetworkPath, PairConditions, Placement } from '../domain/model/conditions';
import type { HostRole } from '../domain/model/host-role';
import type { MeasurementResult, MeasurementStatus } from '../domain/model/result';
import { METRICS, type Metric } from '../domain/model/sample';
import type { MetricKind, Protocol, DrivenDirection } from '../domain/model/settings';
import type { Cause, Standing, Verdict, VerdictKind, WITNESSES } from '../domain/model/verdict';
import type { ExpectationStatus } from '../domain/run/expectations';
import type { MeasurementPlan } from '../domain/tools/catalogue';
import type { PairFacts } from '../domain/tables/columns';
import type { RunOutcome } from '../domain/workflow/contracts';

type Meanings<Value extends string> = Readonly<Record<Value, string>>;

/** A column, or one after another with the same values, and what each of the values means. */
interface ColumnValues {
  readonly columns: readonly string[];
  /** Only in the tables and views with such a name; others have a column of that name with other values. */
  readonly tables?: RegExp;
  /** What the column says, before its values. */
  readonly about: string;
  readonly values: Readonly<Record<string, string>>;
}

const CAUSES: Meanings<Cause> = {
  network_credits: '',
  packet_rate: '',
  connection_tracking: '',
  fragment_rate: 'IP fragments',
  packet_loss: '',
  path_limit: 'an unpublished limit between the hosts',
  cpu: '',
  cpu_credits: '',
  tool_target: 'the load that the plan offered',
  single_flow_cap: "EC2's cap on one flow",
  published_bandwidth: "a host's published bandwidth, with or without credits",
  ena_express: 'it was on, but carried nothing',
  outage: '',
  not_known: 'none of these is proven',
};

const WITNESS_WORDS: Meanings<(typeof WITNESSES)[number]> = {
  series: '',
  ena_allowance_counters: '',
  published_bandwidth: '',
  peer_bucket: 'which end ran out of credits',
  flow_cap: '',
  retransmits: '',
  cpu: '',
  cpu_credits: 'only for a host without CPU credits',
  cpu_contention: 'only if other work kept the processors busy',
  packet_allowance: 'this and the following only for packets per second',
  conntrack_allowance: '',
  bandwidth_allowance: '',
  arrival: 'how many were sent',
};

type Ran<Tool extends MeasurementPlan['tool']> = Extract<MeasurementPlan, { tool: Tool }>;
type Mode = NonNullable<Ran<'iperf3'>['mode'] | Ran<'sockperf'>['mode'] | Ran<'s3'>['operation']>;

const MODES: Meanings<Mode> = {
  packets: 'iperf3: packets per second',
  ping_pong: 'sockperf: one message at a time',
  under_load: 'sockperf: at a given rate',
  throughput: 'sockperf: at full speed',
  download: 's3: GET',
  upload: 's3: PUT',
};

const TOOLS: Meanings<MeasurementPlan['tool']> = {
  iperf3: 'throughput, or packets',
  sockperf: 'round trips of messages',
  ping: 'round trips of ICMP echoes',
  tracepath: 'hops and path MTU',
  http: "downloads from the server's memory",
  s3: 'transfers between client and S3, without the server',
};

const KINDS: Meanings<MetricKind> = {
  throughput: 'bits per second',
  packets: 'packets per second',
  latency: 'round trips',
  conditions: 'hops and MTU',
};

const VERDICT_KINDS: Meanings<VerdictKind> = {
  steady: 'one level until the end',
  noisy: 'one level with strong scatter',
  dips: 'one level, with dips of a few seconds',
  ramp: 'a slope',
  shift: 'a rise, or a fall that is too small or unclear',
  drop: 'a fall that lasts',
  drops: 'several falls',
  cycle: 'a fall, followed by more bursts',
  insufficient: 'too short to tell',
  outage: 'traffic stopped',
};

const STATUSES: Meanings<MeasurementStatus> = {
  complete: 'measured to its end',
  truncated: 'ended early, with figures of the measured part',
  failed: 'nothing usable',
  not_applicable: 'impossible here, which is not a failure',
};

const OUTCOMES: Meanings<Exclude<RunOutcome['outcome'], 'dry_run'>> = {
  complete: 'everything applicable was measured',
  incomplete: 'something was not measured',
  failed: 'nothing was measured',
};

const PATHS: Meanings<NetworkPath> = {
  private: 'private address',
  public: 'public address',
  nlb: 'load balancer',
  peering: 'VPC peering',
  own: "the user's route",
};

const BOUNDS: Meanings<(typeof RATE_BOUNDS)[number]> = {
  measured: 'the rate itself',
  at_most: 'an upper bound: the rate stayed above the published baseline',
  at_least: 'a lower bound: the plan offered no more',
};

const HOLDS: Meanings<(typeof HOLD_KINDS)[number]> = {
  always: 'indefinitely; `…_seconds` is NULL',
  for: 'for the time in `…_seconds`',
  at_least: 'for that time or longer',
  never: 'for 0 seconds',
};

const QUESTIONS: Meanings<Question> = {
  types: 'instance types',
  conditions: 'paths, placements and the like',
  settings: 'what the tools were asked for',
  none: 'nothing: there is one row',
};

const STANDINGS: Meanings<Standing> = { shown: '', ruled_out: '', possible: '', not_read: 'there is no evidence' };

const ENDS: Meanings<NonNullable<Verdict['throttledBy']>> = { sender: '', receiver: '' };
const BUCKETS: Meanings<NonNullable<Verdict['throttledBucket']>> = { outbound: '', inbound: '' };
const ROLES: Meanings<HostRole> = { client: '', server: '' };
const DIRECTIONS: Meanings<DrivenDirection> = { forward: 'client to server', reverse: 'server to client' };
const DRIVEN: Meanings<NonNullable<MeasurementResult['direction']>> = {
  ...DIRECTIONS,
  bidirectional: 'both at once, reverse in the columns `reverse_…`',
};
const PROTOCOLS: Meanings<Protocol> = { tcp: '', udp: '' };
const SCHEMES: Meanings<NonNullable<MeasurementResult['scheme']>> = { http: '', https: '' };
const ZONES: Meanings<PairConditions['zoneRelation']> = { same_zone: '', other_zone: '' };
const PLACEMENTS: Meanings<Placement> = { none: '', cluster: '', spread: '', partition: '' };
const ENA_EXPRESS: Meanings<EnaExpress> = { off: '', one_side: 'on the client only', both: '' };
const CPU_CREDITS: Meanings<NonNullable<PairConditions['clientCpuCredits']>> = { standard: '', unlimited: '' };

const PAIR_STATUSES: Meanings<PairFacts['status']> = { complete: '', failed: '', not_applicable: '' };
const JUDGED: Meanings<DrivenDirection> = { forward: '', reverse: '' };
const METRIC_WORDS = Object.fromEntries(METRICS.map((metric) => [metric, ''])) as Meanings<Metric>;
const EXPECTATION_STATUSES: Meanings<ExpectationStatus> = {
  met: 'within the limit',
  not_met: 'beyond the limit',
  undecided: 'the interval contains the limit',
  not_measured: 'no figure',
};
const EXPECTATIONS_OUTCOMES: Meanings<'met' | 'not_met'> = { met: 'all are met', not_met: 'otherwise' };

/** In the order of docs/data-model.md: what happened, what was measured, where, and how it ended. */
const COLUMN_VALUES: readonly ColumnValues[] = [
  { columns: ['verdict_kind', 'other_verdict_kind'], about: 'what happened', values: VERDICT_KINDS },
  {
    columns: ['verdict_cause', 'other_verdict_cause'],
    about: '[why](detection.md#causes); NULL if nothing needs a cause',
    values: CAUSES,
  },
  {
    columns: ['throttled_by', 'other_throttled_by', 'packets_limited_by'],
    about: 'which end was the limit',
    values: ENDS,
  },
  { columns: ['throttled_bucket', 'other_throttled_bucket'], about: 'the credits that ran out', values: BUCKETS },
  { columns: ['round_trips_limited_by', 'host_role'], about: 'which host', values: ROLES },
  { columns: ['sustained_bound'], about: 'what `sustained_bits_per_second` is', values: BOUNDS },
  {
    columns: [1, 2, 5, 10].map((gbits) => `held_${gbits}_gbit`),
    about: 'how long full credits hold that rate',
    values: HOLDS,
  },
  { columns: ['tool'], about: 'what measured', values: TOOLS },
  { columns: ['kind'], about: 'what was measured', values: KINDS },
  { columns: ['mode'], about: 'how the tool measured', values: MODES },
  { columns: ['direction'], tables: /samples$|series$/, about: 'in samples and series: who sends', values: DIRECTIONS },
  { columns: ['direction'], about: 'who sends', values: DRIVEN },
  { columns: ['verdict_direction', 'other_verdict_direction'], about: 'the direction that is judged', values: JUDGED },
  { columns: ['metric'], about: 'of samples', values: METRIC_WORDS },
  { columns: ['protocol'], about: 'of iperf3, sockperf and transfers', values: PROTOCOLS },
  { columns: ['scheme'], about: 'of http and s3', values: SCHEMES },
  { columns: ['zone_relation'], about: 'zones of the hosts', values: ZONES },
  { columns: ['placement'], about: 'placement group', values: PLACEMENTS },
  { columns: ['path'], about: 'route between the hosts', values: PATHS },
  { columns: ['ena_express'], about: 'where ENA Express is on', values: ENA_EXPRESS },
  { columns: ['client_cpu_credits', 'server_cpu_credits'], about: "T types' CPU credits", values: CPU_CREDITS },
  { columns: ['status'], tables: /pairs$/, about: 'how a pair ended', values: PAIR_STATUSES },
  { columns: ['status'], about: 'how a measurement ended; `reason` says why', values: STATUSES },
  { columns: ['outcome', 'run_outcome'], about: 'how the run ended', values: OUTCOMES },
  {
    columns: ['expectations_outcome'],
    about: "whether the plan's limits are met; NULL without limits",
    values: EXPECTATIONS_OUTCOMES,
  },
  { columns: ['question'], tables: /^answers$/, about: 'what the rows of an answer differ in', values: QUESTIONS },
  { columns: ['expectations.status'], about: 'whether one limit is met', values: EXPECTATION_STATUSES },
  { columns: ['witnesses.name'], about: 'evidence, or the cause that was found', values: WITNESS_WORDS },
  { columns: ['examined_causes.standing'], about: 'what the evidence says about a cause', values: STANDINGS },
];

/** @returns undefined for a column of any other values */
export function valuesOf(table: string, column: string): ColumnValues['values'] | undefined {
  return COLUMN_VALUES.find(({ columns, tables }) => columns.includes(column) && (tables?.test(table) ?? true))?.values;
}

/** Columns whose values need no explanation to be used, or that few queries filter by. */
const SELDOM = new Set(
  `throttled_by throttled_bucket round_trips_limited_by tool kind mode direction verdict_direction metric protocol scheme
  zone_relation placement path ena_express client_cpu_credits expectations_outcome`.split(/\s+/),
);

/** Whether docs/data-model.md has the column's values; docs/reference/columns.md has the others. */
const isFilter = ({ columns, tables }: ColumnValues) =>
  tables === undefined && !columns.some((name) => name.includes('.') || SELDOM.has(name));

/** A list with an entry for each column, its values with their meanings. @param ofFilters or else of all others */
export function valueList(ofFilters: boolean): string {
  return COLUMN_VALUES.filter((each) => isFilter(each) === ofFilters)
    .map(({ columns, about, values }) => {
      const meanings = Object.entries(values).map(([value, meaning]) => `\`${value}\`${meaning && ` (${meaning})`}`);
      const listed = [meanings.slice(0, -1).join(', '), ...meanings.slice(-1)].join(' or ');
      const names = columns.map((name) => `\`${name}\``).join(', ');
      return wrapped(`- **${names}** (${about}) ${columns.length > 1 ? 'can be' : 'is'} ${listed}`);
    })
    .join('\n');
}

const LINE_CHARACTERS = 150;

/** Breaks an entry of a list into lines. */
function wrapped(entry: string): string {
  const lines = [''];
  for (const word of entry.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (lines.length > 0 && line.length > LINE_CHARACTERS) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.join('\n  ');
}
