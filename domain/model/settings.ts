/** What a measurement is asked to do. */
/** What a tool measures; a measurement's verdict, report section and statistics follow from it. */
export const METRIC_KINDS = ['throughput', 'latency', 'conditions'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];
export const PROTOCOLS = ['tcp', 'udp'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
/** Who sends: forward is client to server, reverse server to client. */
export const DIRECTIONS = ['forward', 'reverse', 'bidirectional'] as const;
export type Direction = (typeof DIRECTIONS)[number];
export type DrivenDirection = Exclude<Direction, 'bidirectional'>;
/** What a measurement is asked to do, each setting once whatever the tool; a tool has those that apply to it. */
export interface MeasurementSettings {
  /** How long the tool measures; at most, where it may end earlier. */
  readonly durationSeconds: number;
  readonly protocol?: Protocol;
  /** Which of its measurements the tool makes, e.g. `ping_pong` or `download`. */
  readonly mode?: string;
  readonly direction?: Direction;
  readonly parallelStreams?: number;
  readonly targetBitsPerSecond?: number;
  readonly messageBytes?: number;
  readonly messagesPerSecond?: number;
  readonly scheme?: 'http' | 'https';
  readonly objectBytes?: number;
  readonly rangeBytes?: number;
  readonly packetCount?: number;
  /** From one packet to the next. */
  readonly intervalMillis?: number;
  /** Load for so long, then silence for so long, again and again. */
  readonly dutyCycle?: DutyCycle;
  /** Ends so long after the throttle was seen. */
  readonly stopAfterThrottledSeconds?: number;
  /** Round trips measured beside the load. */
  readonly latencyProbe?: LatencyProbe;
}

export interface DutyCycle {
  readonly onSeconds: number;
  readonly offSeconds: number;
}

export interface LatencyProbe {
  readonly messageBytes: number;
  readonly messagesPerSecond: number;
}

/** Whole runs that fit; the silence after the last is no part of it. */
export function dutyCycleRuns({ durationSeconds, dutyCycle }: MeasurementSettings): number {
  if (dutyCycle === undefined) return 1;
  const { onSeconds, offSeconds } = dutyCycle;
  return Math.floor((durationSeconds + offSeconds) / (onSeconds + offSeconds));
}
