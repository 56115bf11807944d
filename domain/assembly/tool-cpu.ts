/** Adds the processor time of the tool's own processes, as the streamer sampled it, to a measurement's figures. */
import { weightedMean } from '../maths/statistics';
import type { HostRole } from '../model/host-role';
import type { AssembledMeasurement } from './assemble-measurement';
import type { Sample } from '../model/sample';
import { withSharedFigures, type CpuShare } from '../model/statistics';

/** A tool that measures its own processor time knows better when its load began and ended: its own figure is kept. */
export function withToolCpu(assembled: AssembledMeasurement): AssembledMeasurement {
  const clientCpu = shareOf(assembled.samples, 'client');
  const serverCpu = shareOf(assembled.samples, 'server');
  if (clientCpu === undefined && serverCpu === undefined) return assembled;
  return {
    ...assembled,
    statistics: withSharedFigures(assembled.statistics, { clientCpu, serverCpu }),
    cpu: {
      clientPercent: assembled.cpu?.clientPercent ?? percentOf(clientCpu),
      serverPercent: assembled.cpu?.serverPercent ?? percentOf(serverCpu),
    },
  };
}

function shareOf(samples: readonly Sample[], hostRole: HostRole): CpuShare | undefined {
  const hostSamples = samples.filter((sample) => sample.metric === 'tool_cpu' && sample.hostRole === hostRole);
  const mean = (field: 'userCpuPercent' | 'systemCpuPercent') =>
    weightedMean(hostSamples.map((sample) => ({ value: sample[field] ?? 0, weight: sample.lengthSeconds })));
  const [userPercent, systemPercent] = [mean('userCpuPercent'), mean('systemCpuPercent')];
  return userPercent === undefined || systemPercent === undefined ? undefined : { userPercent, systemPercent };
}

function percentOf(share: CpuShare | undefined): number | undefined {
  return share && share.userPercent + share.systemPercent;
}
