/** The statistics of a parsed output, as an offline analysis reports them. */
import { assembleOutput } from '../../domain/assembly/assemble-measurement';
import { conditionsOf, latencyOf } from '../../domain/model/statistics';
import type { ConditionsStatistics, LatencyStatistics } from '../../domain/model/statistics';
import type { ConditionsOutput, LatencyOutput } from '../../domain/parsers/tool-output';

export function latencyStatistics(output: LatencyOutput): LatencyStatistics {
  return latencyOf({ kind: output.kind, statistics: assembleOutput(output).statistics }) ?? {};
}

export function conditionsStatistics(output: ConditionsOutput): ConditionsStatistics {
  return conditionsOf({ kind: output.kind, statistics: assembleOutput(output).statistics }) ?? {};
}
