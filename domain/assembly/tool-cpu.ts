/** Adds the processor time of the tool's own processes, as the streamer sampled it, to a measurement's figures. */
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
  const seconds = hostSamples.reduce((total, sample) => total + sample.lengthSeconds, 0);
  if (seconds === 0) return undefined;
  const mean = (percent: (sample: Sample) => number | undefined) =>
    hostSamples.reduce((total, sample) => total + (percent(sample) ?? 0) * sample.lengthSeconds, 0) / seconds;
  return {
    userPercent: mean((sample) => sample.userCpuPercent),
    systemPercent: mean((sample) => sample.systemCpuPercent),
  };
}

function percentOf(share: CpuShare | undefined): number | undefined {
  return share && share.userPercent + share.systemPercent;
}
