/** What the hosts were. Hosts that differ in nothing share a row. */
import type { EnaSrdPackets } from '../../model/result';
import type { HostFacts } from '../../model/raw-chunk';
import type { MeasurementResult } from '../../model/result';
import { counted, grouped } from '../../text/format';
import type { Html } from '../html';
import { html } from '../html';
import type { ReportInput } from '../report-input';
import { reportTable } from '../table';

interface HostGroup {
  readonly instanceType: string;
  readonly zone: string;
  readonly imageId: string;
  readonly facts: HostFacts;
  readonly hasEnaExpress: boolean;
  /** Of all its measurements together; undefined where no driver counts. */
  srdPackets: EnaSrdPackets | undefined;
  readonly instanceIds: Set<string>;
  readonly toolVersions: Set<string>;
}

export function conditionsSection({ results }: Pick<ReportInput, 'results'>): Html | undefined {
  const groups = hostGroups(results);
  if (groups.length === 0) return undefined;
  return html`<section id="conditions">
    <h2>Conditions</h2>
    <p class="lead">What the measured hosts recorded of themselves. Hosts that differ in nothing share a row.</p>
    <div class="card">
      ${reportTable(
        [
          {
            heading: 'Type and zone',
            cell: (of) =>
              html`<b>${of.instanceType}</b><small>${of.zone}, ${counted(of.instanceIds.size, 'host')}</small>`,
          },
          { heading: 'Image and system', cell: (of) => html`${of.imageId}<small>${of.facts.operatingSystem}</small>` },
          { heading: 'Kernel', cell: (of) => of.facts.kernel },
          {
            heading: 'Driver',
            cell: (of) => joined([of.facts.networkDriver, of.facts.networkDriverVersion], ' '),
          },
          {
            heading: 'ENA Express',
            cell: (of) => (groups.some((each) => each.hasEnaExpress) ? enaExpress(of) : undefined),
          },
          { heading: 'vCPUs', isNumber: true, cell: (of) => of.facts.vcpuCount },
          { heading: 'Queues', isNumber: true, cell: (of) => of.facts.queueCount },
          { heading: 'MTU, bytes', isNumber: true, cell: (of) => of.facts.mtuBytes },
          { heading: 'Congestion control', cell: (of) => of.facts.congestionControl },
          { heading: 'Clock', cell: (of) => of.facts.clockSource },
          { heading: 'Tools', cell: (of) => [...of.toolVersions].sort().join(', ') },
          { heading: 'SSM agent', cell: (of) => of.facts.agentVersion },
        ],
        groups,
      )}
    </div>
    ${
      groups.some((of) => of.hasEnaExpress) &&
      html`<p class="sub">
        ENA Express as the plan asked for it, and below what the driver says of its mode and of the packets that the
        host sent by it while it was measured. It carries TCP, and UDP where that is asked for, between two hosts that
        both have it on; ICMP echoes it never carries.
      </p>`
    }
  </section>`;
}

const SRD_MODES = ['off', 'on', 'for UDP alone, which does nothing', 'on, for UDP too'];

function enaExpress({ hasEnaExpress, facts, srdPackets }: HostGroup): Html {
  const { enaSrdMode } = facts;
  const told = enaSrdMode === undefined ? 'tells nothing' : (SRD_MODES[enaSrdMode] ?? `mode ${enaSrdMode}`);
  return html`${hasEnaExpress ? 'on' : 'off'}<small>driver: ${told}</small>${
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
      const key = JSON.stringify([instanceType, host.zone, host.imageId, hasEnaExpress, sharedFacts(facts)]);
      const group = groups.get(key) ?? {
        instanceType,
        zone: host.zone,
        imageId: host.imageId,
        facts,
        hasEnaExpress,
        srdPackets: undefined,
        instanceIds: new Set<string>(),
        toolVersions: new Set<string>(),
      };
      group.instanceIds.add(host.instanceId);
      group.srdPackets = sumOf(group.srdPackets, host.enaSrdPackets);
      if (result.toolVersion !== undefined) {
        group.toolVersions.add(
          result.toolVersion.startsWith(result.tool) ? result.toolVersion : `${result.tool} ${result.toolVersion}`,
        );
      }
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/** Of each host: not every measurement has a stream of both, and what a host is like it needs to have told but once. */
function knownFacts(results: readonly MeasurementResult[]): ReadonlyMap<string, HostFacts> {
  const hosts = results.flatMap(({ client, server }) => [client, server]).filter((host) => host !== undefined);
  return new Map(hosts.flatMap(({ instanceId, facts }) => (facts === undefined ? [] : [[instanceId, facts] as const])));
}

/** What two hosts can have in common: not their id, and not the momentary offset of their clock. */
function sharedFacts(facts: HostFacts): Partial<HostFacts> {
  return { ...facts, instanceId: undefined, clockOffsetMicros: undefined };
}

function sumOf(one: EnaSrdPackets | undefined, other: EnaSrdPackets | undefined): EnaSrdPackets | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    sent: one.sent + other.sent,
    eligible: one.eligible + other.eligible,
    received: one.received + other.received,
  };
}

const joined = (parts: readonly (string | undefined)[], separator: string) => parts.filter(Boolean).join(separator);
