/** Parameters that several documents have with the same meaning. */
import { MEASUREMENT_ID_PATTERN, PAIR_ID_PATTERN, RUN_ID_PATTERN } from '../../domain/workflow/identifiers';

export interface DocumentParameter {
  readonly type: 'String';
  readonly description: string;
  readonly allowedPattern: string;
  readonly interpolationType?: 'ENV_VAR';
}

export type Parameters = Readonly<Record<string, DocumentParameter>>;

/** The parameters of every document. */
export const COMMON_PARAMETERS: Parameters = {
  RunId: fromEnvironment(RUN_ID_PATTERN.source, 'The id of the run, which is the name of its execution.'),
  PairId: fromEnvironment(PAIR_ID_PATTERN.source, 'The id of the pair, unique in its run.'),
  BucketName: fromEnvironment(
    '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    "The bucket that receives the raw lines, under raw/ and the host's own aws:userid.",
  ),
  ExecutionTimeoutSeconds: {
    type: 'String',
    description: "After this time the agent kills the step; it is longer than the script's own limits.",
    allowedPattern: '^[0-9]{1,5}$',
    // Without ENV_VAR, because the value is an input of the step, where the agent would leave the name of a variable.
  },
};

/** The parameters that a `document.yaml` may name. */
export const SHARED_PARAMETERS: Parameters = {
  MeasurementId: fromEnvironment(MEASUREMENT_ID_PATTERN.source, 'The id of the measurement, unique in its run.'),
  ServerAddress: fromEnvironment(
    '^[0-9]{1,3}(\\.[0-9]{1,3}){3}$',
    'The IPv4 address at which the client reaches the server.',
  ),
  Port: fromEnvironment('^[0-9]{4,5}$', 'The port that the server listens on.'),
  ProbePort: fromEnvironment('^[0-9]{4,5}$', "The port that the latency probe's server listens on."),
  ProbeMessagesPerSecond: fromEnvironment(
    '^[0-9]{1,4}$',
    'The number of round trips that the latency probe measures per second; 0 without a probe.',
  ),
  DurationSeconds: fromEnvironment('^[0-9]{1,4}$', 'How long the measurement takes.'),
  OnSeconds: fromEnvironment('^[0-9]{1,4}$', 'How long each run of a duty cycle takes; 0 without a duty cycle.'),
  OffSeconds: fromEnvironment('^[0-9]{1,4}$', 'The pause between two runs of a duty cycle.'),
  IntervalMillis: fromEnvironment('^[1-9][0-9]{0,4}$', 'The time from one packet to the next.'),
  Protocol: fromEnvironment('^(tcp|udp)$', 'The protocol of the measured traffic, tcp or udp.'),
  Scheme: fromEnvironment('^(http|https)$', 'The scheme of the requests, http or https.'),
  ParallelStreams: fromEnvironment('^[0-9]{1,2}$', 'The number of flows at the same time.'),
  FirstFlowPort: fromEnvironment(
    '^[0-9]{4,5}$',
    'The port of the second flow, followed by those of further flows; the first flow has the port of the measurement.',
  ),
  ObjectBytes: fromEnvironment('^[0-9]{1,10}$', 'The size of an object.'),
};

/** A parameter whose value the agent passes to the script as an environment variable. */
export function fromEnvironment(allowedPattern: string, description: string): DocumentParameter {
  return { type: 'String', description, allowedPattern, interpolationType: 'ENV_VAR' };
}
