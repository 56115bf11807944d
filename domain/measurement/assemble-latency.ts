/** A latency measurement out of the client's stream: the tool's own percentiles, and the counters beside them. */
import type { LatencyOutput } from '../parsers/tool-output';
import { latencyStatistics } from '../statistics/latency-statistics';
import {
  NO_CLIENT_STREAM,
  reasonOf,
  toolText,
  type AssembledMeasurement,
  type MeasurementStreams,
} from './assemble-measurement';
import { counterSamples } from './counter-samples';

export function assembleLatency(
  { client }: MeasurementStreams,
  parse: (text: string) => LatencyOutput,
): AssembledMeasurement {
  if (client === undefined) {
    return { samples: [], statistics: {}, complete: false, reason: NO_CLIENT_STREAM, warnings: [] };
  }
  const output = parse(toolText(client));
  const { hostRole, startedAtSeconds } = client.header;
  return {
    samples: counterSamples(client.lines, {
      hostRole,
      direction: 'forward',
      originSeconds: startedAtSeconds,
      fromSeconds: 0,
    }),
    statistics: latencyStatistics(output),
    complete: output.complete,
    ...(!output.complete && { reason: reasonOf(output, client) }),
    ...(output.toolVersion !== undefined && { toolVersion: output.toolVersion }),
    client: output,
    warnings: output.warnings,
  };
}
