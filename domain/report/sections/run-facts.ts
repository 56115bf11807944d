/** Sections about the run as a whole: its cost, its hosts, caveats, and how its rows can be queried. */
import { groupBy } from '../../maths/elements';
import { sum } from '../../maths/statistics';
import { priceListOf, sumOrUnknown, totalUsd, type PairCost, type PriceSplit } from '../../model/cost';
import type { HostFacts } from '../../model/raw-chunk';
import type { EnaSrdPackets, MeasurementResult } from '../../model/result';
import type { ReportInput } from '../../run/report-input';
import { zoneWords } from '../../run/words';
import { counted, duration, grouped } from '../../text/format';
import { withNotes } from '../page/columns';
import { html, type Html } from '../page/html';
import { column, numberColumn, tableSection, type Section } from '../page/table';

/** Shows the forecast and the actual cost of each pair, by charged item. */
export function costSection({ pairCosts = [] }: Pick<ReportInput, 'pairCosts'>): Section | undefined {
  const launched = pairCosts.filter(({ launchedAt, warnings }) => launchedAt !== undefined || warnings.length > 0);
  const part = (name: string, ...parts: readonly (keyof PriceSplit)[]) =>
    numberColumn<PairCost>(`${name}, USD`, ({ cost }) => usd(sumOrUnknown(parts.map((each) => cost[each]))));
  const warnings = launched.flatMap(({ pairId, warnings: ofPair }) =>
    ofPair.map((text) => html`<li><b>${pairId}</b>: ${text}</li>`),
  );
  return tableSection<PairCost>({
    id: 'cost',
    title: 'What it cost',
    lead:
      `Costs are before tax and discounts (${priceListOf(pairCosts)}). Hosts are charged from launch to termination. ` +
      'Traffic is charged by the counters of the hosts’ interfaces.',
    label: `What each of ${launched.length} pairs cost`,
    columns: [
      column('Pair', ({ pairId }) => pairId),
      column('Total host time', ({ hostSeconds }) => hostSeconds !== null && duration(hostSeconds)),
      numberColumn('Estimated, USD', ({ expected }) => expected && usd(totalUsd(expected))),
      numberColumn('Actual, USD', ({ cost }) => usd(totalUsd(cost))),
      part('Hosts', 'instances', 'publicAddresses', 'cpuCredits'),
      part('Traffic', 'crossZoneTraffic', 'publicTraffic'),
      part('Load balancer', 'loadBalancer'),
      part('Service', 's3', 'athena', 'stepFunctions', 'lambda'),
    ],
    rows: launched,
    belowTable:
      warnings.length > 0 &&
      html`<ul class="sub">
        ${warnings}
      </ul>`,
  });
}

const usd = (value: number | null) => (value === null ? 'unknown' : value.toFixed(4));

interface ConditionsOfHost {
  readonly instanceType: string;
  readonly zone: string;
  readonly imageId: string;
  readonly instanceId: string;
  readonly facts: HostFacts;
  readonly hasEnaExpress: boolean;
  /** Absent where the driver does not count them. */
  readonly srdPackets?: EnaSrdPackets;
  readonly tool?: string;
}

/** Identical hosts, which share a row. */
type HostGroup = readonly [ConditionsOfHost, ...ConditionsOfHost[]];

export function conditionsSection({ results }: Pick<ReportInput, 'results'>): Section | undefined {
  const groups = hostGroups(results);
  const isEnaExpressUsed = groups.some(([{ hasEnaExpress }]) => hasEnaExpress);
  return tableSection<HostGroup>({
    id: 'conditions',
    title: 'Conditions',
    lead: 'What the measured hosts reported about themselves. Identical hosts share a row.',
    label: 'Hosts and what they reported',
    columns: [
      column('Type and zone', (group) => {
        const [{ instanceType, zone }] = group;
        const count = new Set(group.map(({ instanceId }) => instanceId)).size;
        return withNotes(html`<b>${instanceType}</b>`, `${zone}, ${counted(count, 'host')}`);
      }),
      column('Image and system', ([{ imageId, facts }]) => withNotes(imageId, facts.operatingSystem)),
      column('Kernel', ([{ facts }]) => facts.kernel),
      column('Driver', ([{ facts }]) => [facts.networkDriver, facts.networkDriverVersion].filter(Boolean).join(' ')),
      column('ENA Express', (group) => isEnaExpressUsed && enaExpress(group)),
      numberColumn('vCPUs', ([{ facts }]) => facts.vcpuCount),
      numberColumn('Queues', ([{ facts }]) => facts.queueCount),
      numberColumn('MTU, bytes', ([{ facts }]) => facts.mtuBytes),
      column('Congestion control', ([{ facts }]) => facts.congestionControl),
      column('Clock', ([{ facts }]) => facts.clockSource),
      column('Tools', (group) => [...new Set(group.flatMap(({ tool }) => tool ?? []))].sort().join(', ')),
      column('SSM agent', ([{ facts }]) => facts.agentVersion),
    ],
    rows: groups,
    belowTable:
      isEnaExpressUsed &&
      html`<p class="sub">
        ENA Express: the setting of the plan, then the mode that the driver reports, and how many packets the host sent
        over ENA Express during the measurements. ENA Express carries TCP, and UDP if the plan asks for that, between
        two hosts that both have it on. It never carries ICMP echoes.
      </p>`,
  });
}

const SRD_MODES = ['off', 'on', 'on for UDP only, which has no effect', 'on, for UDP too'];

function enaExpress(group: HostGroup): Html {
  const [{ hasEnaExpress, facts }] = group;
  const { enaSrdMode } = facts;
  const mode = enaSrdMode === undefined ? 'reports no mode' : (SRD_MODES[enaSrdMode] ?? `mode ${enaSrdMode}`);
  const packets = group.flatMap(({ srdPackets }) => srdPackets ?? []);
  const sent = sum(packets.map((each) => each.sent));
  const eligible = sum(packets.map((each) => each.eligible));
  return withNotes(
    hasEnaExpress ? 'on' : 'off',
    `driver: ${mode}`,
    packets.length > 0 && `sent ${grouped(sent)} of ${counted(eligible, 'eligible packet')}`,
  );
}

function hostGroups(results: readonly MeasurementResult[]): HostGroup[] {
  const factsById = knownFacts(results);
  const hosts = results.flatMap((result) => {
    const { client, server, clientType, serverType, enaExpress: express, tool, toolVersion } = result;
    const ends = [
      { host: client, instanceType: clientType, hasEnaExpress: express !== 'off' },
      { host: server, instanceType: serverType, hasEnaExpress: express === 'both' },
    ];
    return ends.flatMap(({ host, ...end }): ConditionsOfHost[] => {
      if (host === undefined) return [];
      const { imageId, instanceId, enaSrdPackets: srdPackets } = host;
      const named = toolVersion?.startsWith(tool) === true ? toolVersion : toolVersion && `${tool} ${toolVersion}`;
      const facts = factsById.get(instanceId) ?? {};
      return [{ ...end, zone: zoneWords(host), imageId, instanceId, srdPackets, facts, tool: named }];
    });
  });
  const shared = ({ instanceType, zone, imageId, hasEnaExpress, facts }: ConditionsOfHost) =>
    // Identical hosts differ only in their id and in the momentary offset of their clock.
    JSON.stringify([instanceType, zone, imageId, hasEnaExpress, { ...facts, instanceId: 0, clockOffsetMicros: 0 }]);
  return [...groupBy(hosts, shared).values()];
}

/** Returns the facts of each host by its id, because not every measurement reports both of its hosts. */
function knownFacts(results: readonly MeasurementResult[]): ReadonlyMap<string, HostFacts> {
  const hosts = results.flatMap(({ client, server }) => [client, server]).filter((host) => host !== undefined);
  return new Map(hosts.flatMap(({ instanceId, facts }) => (facts === undefined ? [] : [[instanceId, facts] as const])));
}

export function caveatsSection(): Section {
  return {
    id: 'caveats',
    title: 'Before you rely on these figures',
    html: html`
      <ul class="caveats">
        <li>
          <b>These figures are not guaranteed.</b> AWS publishes a baseline and a peak for most types. It does not
          publish how long a burst lasts, and may change that at any time.
        </li>
        <li>
          <b>The figures vary with time and place.</b> Another zone, another physical host or another hour gives other
          figures. Before you decide anything, repeat the measurement, each time on a fresh pair: a used pair has spent
          its network credits.
        </li>
        <li>
          <b>Use the figures for comparison.</b> Measurements of one run that were made in the same way show which type
          does better. The figures do not show what your application will get.
        </li>
        <li>
          <b>Both ends count.</b> A pair is only as fast as its slower end, and a single flow outside a cluster
          placement group has a limit of its own.
        </li>
        <li>
          <b>The credit bucket is a model.</b> It assumes that the credits were full at the start and that nothing else
          on the host spent any.
        </li>
      </ul>
    `,
  };
}

export function athenaSection({ run, athena }: ReportInput): Section {
  const where = athena
    ? html`in database <code>${athena.database}</code> with workgroup <code>${athena.workGroup}</code>`
    : html`in the result store's Athena workgroup`;
  const filter = `WHERE day = date ${sqlText(run.day)} AND run_id = ${sqlText(run.runId)}`;
  return {
    id: 'query',
    title: 'Query the results',
    html: html`
      <p>
        The figures of this report are rows in Athena, ${where}. Saved queries there answer the usual questions:
        throttle onsets, the series of one measurement, a comparison of instance types, latency percentiles and live
        throughput.
      </p>
      <pre><code>SELECT measurement_id, client_type, server_type, verdict_kind, verdict_cause, onset_seconds,
       burst_bits_per_second, baseline_bits_per_second, rtt_p99_micros,
       expected_usd, cost_usd
FROM measurements
${filter}
ORDER BY measurement_id</code></pre>
      <pre><code>SELECT measurement_id, direction, start_seconds, throughput_bits_per_second
FROM samples
${filter} AND metric = 'throughput'
ORDER BY measurement_id, direction, start_seconds</code></pre>
    `,
  };
}

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`;
