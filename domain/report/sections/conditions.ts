/** What the hosts were. Hosts that differ in nothing share a row. */
import type { HostFacts } from '../../measurement/raw-chunk';
import type { MeasuredHost, MeasurementResult } from '../../measurement/measurement';
import { counted } from '../format';
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
        ENA Express as the plan asked for it, and below what the driver says. That no packet went over SRD is still
        possible: it takes both ends, on types that have it, and this run counted no such packets.
      </p>`
    }
  </section>`;
}

const SRD_MODES = ['off', 'on', 'for UDP alone, which does nothing', 'on, for UDP too'];

function enaExpress({ hasEnaExpress, facts }: HostGroup): Html {
  const { enaSrdMode } = facts;
  const told = enaSrdMode === undefined ? 'tells nothing' : (SRD_MODES[enaSrdMode] ?? `mode ${enaSrdMode}`);
  return html`${hasEnaExpress ? 'on' : 'off'}<small>driver: ${told}</small>`;
}

function hostGroups(results: readonly MeasurementResult[]): HostGroup[] {
  const groups = new Map<string, HostGroup>();
  for (const result of results) {
    for (const [instanceType, host, hasEnaExpress] of [
      [result.clientType, result.client, result.enaExpress !== 'off'],
      [result.serverType, result.server, result.enaExpress === 'both'],
    ] as const) {
      if (host === undefined) continue;
      const key = JSON.stringify([instanceType, host.zone, host.imageId, hasEnaExpress, sharedFacts(host)]);
      const group = groups.get(key) ?? {
        instanceType,
        zone: host.zone,
        imageId: host.imageId,
        facts: host.facts ?? {},
        hasEnaExpress,
        instanceIds: new Set<string>(),
        toolVersions: new Set<string>(),
      };
      group.instanceIds.add(host.instanceId);
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

/** What two hosts can have in common: not their id, and not the momentary offset of their clock. */
function sharedFacts({ facts }: MeasuredHost): Partial<HostFacts> {
  return { ...facts, instanceId: undefined, clockOffsetMicros: undefined };
}

const joined = (parts: readonly (string | undefined)[], separator: string) => parts.filter(Boolean).join(separator);
