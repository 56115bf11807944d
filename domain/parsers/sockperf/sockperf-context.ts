/** What sockperf was told to do, which its output does not always show. */
export type SockperfMode = 'ping_pong' | 'under_load' | 'throughput' | 'server';

/** What is known from outside the text. */
export interface SockperfContext {
  readonly mode?: SockperfMode;
  /** `--full-rtt` was given; absent where nobody knows. */
  readonly isFullRoundTrip?: boolean;
}
