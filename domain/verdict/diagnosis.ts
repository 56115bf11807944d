/**
 * The differential diagnosis: every cause is examined by its own module, and the first that the evidence shows is the
 * cause of the verdict.
 *
 * | cause               | of a drop                                        | of a level                                  |
 * | ------------------- | ------------------------------------------------ | ------------------------------------------- |
 * | tool_target         | –                                                | the rate is what the tool was asked for     |
 * | network_credits     | a burst above a published baseline, and counters | –                                           |
 * |                     | that begin to grow, or that published baseline   |                                             |
 * | fragment_rate       | fragments are sent, and their counter begins     | fragments are sent, and their counter grows |
 * | packet_rate         | its counter begins to grow                       | its counter grows second after second       |
 * | connection_tracking | its counter begins to grow                       | its counter grows second after second       |
 * | cpu_credits         | steal on a type with CPU credits                 | the same                                    |
 * | cpu                 | a processor is lost with the drop                | every core that the tool can use is busy    |
 * | packet_loss         | a large share is sent again, or lost             | a large share is sent again, and it scatters |
 * | path_limit          | a held level, and no limit at either host        | –                                           |
 * | single_flow_cap     | –                                                | one flow, at its cap                        |
 * | ena_express         | –                                                | it was asked for, and did not carry packets |
 * | published_bandwidth | –                                                | the receiver is published to sustain this   |
 * | outage              | nothing arrived any more (a verdict of kind `outage`)                                          |
 *
 * A drop of which nothing is shown is `not_known`. A level of which nothing is shown has no cause: nothing held it back,
 * as far as anybody knows. The doc comments of the modules say what rules each cause out.
 */
import type { Cause, ExaminedCause } from '../model/verdict';
import { connectionTracking, fragmentRate, packetRate } from './causes/allowances';
import { enaExpress, pathLimit, publishedBandwidth, singleFlowCap, toolTarget } from './causes/caps';
import type { CauseModule, EarlierFindings, Finding, Subject } from './causes/cause';
import { cpu, cpuCredits } from './causes/cpu';
import { networkCredits } from './causes/network-credits';
import { packetLoss } from './causes/packet-loss';

/** In the order in which the first that is shown decides. */
const MODULES: readonly CauseModule[] = [
  toolTarget,
  networkCredits,
  fragmentRate,
  packetRate,
  connectionTracking,
  cpuCredits,
  singleFlowCap,
  enaExpress,
  cpu,
  publishedBandwidth,
  packetLoss,
  pathLimit,
];

export interface Diagnosis {
  readonly cause: Cause | null;
  /** Of the cause; null where there is none. */
  readonly finding: Finding | null;
  readonly examined: readonly ExaminedCause[];
}

export const NOTHING_EXAMINED: Diagnosis = { cause: null, finding: null, examined: [] };

export function diagnoseDrop(subject: Subject): Diagnosis {
  return diagnose((module, earlier) => module.ofDrop?.(subject, earlier), 'not_known');
}

export function diagnoseLevel(subject: Subject): Diagnosis {
  return diagnose((module) => module.ofLevel?.(subject), null);
}

function diagnose(
  examine: (module: CauseModule, earlier: EarlierFindings) => Finding | undefined,
  otherwise: Cause | null,
): Diagnosis {
  const found = new Map<Cause, Finding>();
  for (const module of MODULES) {
    const finding = examine(module, found);
    if (finding) found.set(module.cause, finding);
  }
  const [cause, finding] = [...found].find(([, { standing }]) => standing === 'shown') ?? [otherwise, null];
  const examined = [...found].map(([each, { standing, reason }]) => ({ cause: each, standing, reason }));
  return { cause, finding, examined };
}
