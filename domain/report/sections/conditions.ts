/** The hosts and their properties. Identical hosts share a row. */
import type { HostFacts } from '../../model/raw-chunk';
import type { EnaSrdPackets, MeasurementResult } from '../../model/result';
import { counted, grouped } from '../../text/format';
import { html, type Html } from '../page/html';
import type { ReportInput } from '../../run/report-input';
import type { Section } from '../page/contents';
import { reportTable } from '../page/columns';
import { zoneWords } from '../../run/words';

interface HostGroup {
  readonly instanceType: string;
  /** Its name and its id. */
  readonly zone: string;
  readonly imageId: string;
  readonly facts: HostFacts;
  readonly hasEnaExpress: boolean;
  /** The sum over all measurements of the group; undefined where the driver does not count. */
  srdPackets: EnaSrdPackets | undefined;
  readonly instanceIds: Set<string>;
  readonly toolVersions: Set<string>;
}

export function conditionsSection({ results }: Pick<ReportInput, 'results'>): Section | undefined {
  const groups = hostGroups(results);
  if (groups.length === 0) return undefined;
  const isEnaExpressUsed = groups.some(({ hasEnaExpress }) => hasEnaExpress);
  return {
    id: 'conditions',
    title: 'Conditions',
    html: html`
      <p class="lead">What the measured hosts reported about themselves. Identical hosts share a row.</p>
      <div class="card">
        ${reportTable(
          'Hosts and what they reported',
          [
            {
              heading: 'Type and zone',
              cell: ({ instanceType, zone, instanceIds }) =>
                html`<b>${instanceType}</b><small>${zone}, ${counted(instanceIds.size, 'host')}</small>`,
            },
            {
              heading: 'Image and system',
              cell: ({ imageId, facts }) => html`${imageId}<small>${facts.operatingSystem}</small>`,
            },
            { heading: 'Kernel', cell: ({ facts }) => facts.kernel },
            {
              heading: 'Driver',
              cell: ({ facts }) => [facts.networkDriver, facts.networkDriverVersion].filter(Boolean).join(' '),
            },
            { heading: 'ENA Express', cell: (group) => isEnaExpressUsed && enaExpress(group) },
            { heading: 'vCPUs', isNumber: true, cell: ({ facts }) => facts.vcpuCount },
            { heading: 'Queues', isNumber: true, cell: ({ facts }) => facts.queueCount },
            { heading: 'MTU, bytes', isNumber: true, cell: ({ facts }) => facts.mtuBytes },
            { heading: 'Congestion control', cell: ({ facts }) => facts.congestionControl },
            { heading: 'Clock', cell: ({ facts }) => facts.clockSource },
            { heading: 'Tools', cell: ({ toolVersions }) => [...toolVersions].sort().join(', ') },
            { heading: 'SSM agent', cell: ({ facts }) => facts.agentVersion },
          ],
          groups,
        )}
      </div>
      ${
        isEnaExpressUsed &&
        html`<p class="sub">
          ENA Express: the setting of the plan, then the mode that the driver reports, and how many packets the host
          sent over ENA Express during the measurements. ENA Express carries TCP, and UDP if the plan asks for that,
          between two hosts that both have it on. It never carries ICMP echoes.
        </p>`
      }
    `,
  };
}

const SRD_MODES = ['off', 'on', 'on for UDP only, which has no effect', 'on, for UDP too'];

function enaExpress({ hasEnaExpress, facts, srdPackets }: HostGroup): Html {
  const { enaSrdMode } = facts;
  const mode = enaSrdMode === undefined ? 'reports no mode' : (SRD_MODES[enaSrdMode] ?? `mode ${enaSrdMode}`);
  return html`${hasEnaExpress ? 'on' : 'off'}<small>driver: ${mode}</small>${
      srdPackets &&
      html`<small>sent ${grouped(srdPackets.sent)} of ${counted(srdPackets.eligible, 'eligible packet')}</small>`
    }`;
}

function hostGroups(results: readonly MeasurementResult[]): HostGroup[] {
  const groups = new Map<string, HostGroup>();
  const factsById = knownFacts(results);
  for (const result of results) {
    for (const [instanceType, host, hasEnaExpress] of [
      [result.clientType, result.client, result.enaExpress !== 'off'],
      [result.serverType, result.server, result.enaExpress === 'both'],
    ] as const) {
      if (host === undefined) continue;
      const facts = factsById.get(host.instanceId) ?? {};
      // Identical hosts differ only in their id and in the momentary offset of their clock.
      const shared = { ...facts, instanceId: undefined, clockOffsetMicros: undefined };
      const zone = zoneWords(host);
      const key = JSON.stringify([instanceType, zone, host.imageId, hasEnaExpress, shared]);
      const group = groups.get(key) ?? {
        instanceType,
        zone,
        imageId: host.imageId,
        facts,
        hasEnaExpress,
        srdPackets: undefined,
        instanceIds: new Set<string>(),
        toolVersions: new Set<string>(),
      };
      group.instanceIds.add(host.instanceId);
      group.srdPackets = sumOf(group.srdPackets, host.enaSrdPackets);
      const { tool, toolVersion } = result;
      if (toolVersion !== undefined) {
        group.toolVersions.add(toolVersion.startsWith(tool) ? toolVersion : `${tool} ${toolVersion}`);
      }
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/** The facts of each host. Not every measurement reports both hosts, but one report of a host is enough. */
function knownFacts(results: readonly MeasurementResult[]): ReadonlyMap<string, HostFacts> {
  const hosts = results.flatMap(({ client, server }) => [client, server]).filter((host) => host !== undefined);
  return new Map(hosts.flatMap(({ instanceId, facts }) => (facts === undefined ? [] : [[instanceId, facts] as const])));
}

function sumOf(one: EnaSrdPackets | undefined, other: EnaSrdPackets | undefined): EnaSrdPackets | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    sent: one.sent + other.sent,
    eligible: one.eligible + other.eligible,
    received: one.received + other.received,
  };
}
