/** A measurement that the client's tool sums up at its end: what it printed, and the counters beside it. */
import type { ConditionsOutput, LatencyOutput } from '../parsers/tool-output';
import { conditionsStatistics } from './conditions-statistics';
import { latencyStatistics } from './latency-statistics';
import {
  NO_CLIENT_STREAM,
  reasonOf,
  toolText,
  type AssembledMeasurement,
  type MeasurementStreams,
} from './assemble-measurement';
import { counterSamples } from './counter-samples';

/** @param parse is given what the tool printed and the command line that it was started with */
export function assembleClientOutput(
  { client }: MeasurementStreams,
  parse: (text: string, command: readonly string[]) => LatencyOutput | ConditionsOutput,
): AssembledMeasurement {
  if (client === undefined) {
    return { samples: [], statistics: {}, complete: false, reason: NO_CLIENT_STREAM, warnings: [] };
  }
  const output = parse(toolText(client), client.header.command);
  const { hostRole, startedAtSeconds } = client.header;
  return {
    samples: counterSamples(client.lines, {
      hostRole,
      direction: 'forward',
      originSeconds: startedAtSeconds,
      fromSeconds: 0,
    }),
    statistics: output.kind === 'latency' ? latencyStatistics(output) : conditionsStatistics(output),
    complete: output.complete,
    ...(!output.complete && { reason: reasonOf(output, client) }),
    ...(output.toolVersion !== undefined && { toolVersion: output.toolVersion }),
    client: output,
    warnings: output.warnings,
  };
}
