/** The runs that checks look at. Each is as small as its checks allow, and several checks look at the same one. */
import burst from '../../examples/plans/burst-30-minutes-m5.2xlarge.json';
import smoke from '../../examples/plans/smoke.json';

export interface RunPlan {
  /** The input of the execution, before `maxCostUsd` is set. */
  readonly plan: Readonly<Record<string, unknown>>;
  /** How long it takes on AWS, from its start to its end or its stop, about. */
  readonly minutes: number;
}

const pair = (instanceType: string, settings: Readonly<Record<string, unknown>> = {}) => ({
  clientType: instanceType,
  serverType: instanceType,
  ...settings,
});

/** Long enough that a check which looks at a measuring host is never late; the walk stops it at its end. */
const longPlan = (name: string) => ({
  name,
  pairs: [pair('c5.large')],
  measurements: [{ tool: 'iperf3', durationSeconds: 900 }],
});

export const RUN_PLANS = {
  smoke: { plan: smoke, minutes: 7 },
  arm: {
    plan: { name: 'Smoke test on arm64', pairs: [pair('c7g.large')], measurements: smoke.measurements },
    minutes: 7,
  },
  watched: { plan: longPlan('Watched'), minutes: 5 },
  stopped: { plan: longPlan('Stopped'), minutes: 10 },
  'stopped-early': { plan: longPlan('Stopped early'), minutes: 8 },
  public: {
    plan: {
      name: 'Public path',
      pairs: [pair('c5.large', { path: 'public' })],
      measurements: [{ tool: 'sockperf', durationSeconds: 60 }],
    },
    minutes: 8,
  },
  nlb: {
    plan: {
      name: 'Load balancer',
      pairs: [pair('m5.large', { path: 'nlb' })],
      measurements: [
        { tool: 'sockperf', protocol: 'udp', messageBytes: 16384, durationSeconds: 10 },
        { tool: 'iperf3', durationSeconds: 60 },
      ],
    },
    minutes: 15,
  },
  peering: {
    plan: {
      name: 'Peering',
      pairs: [pair('c5.large', { path: 'peering' })],
      measurements: [{ tool: 'sockperf', durationSeconds: 10 }],
    },
    minutes: 7,
  },
  xen: {
    plan: {
      name: 'Older type',
      pairs: [{ clientType: 't2.medium', serverType: 'm5.2xlarge' }],
      measurements: [{ tool: 'sockperf', durationSeconds: 10 }],
    },
    minutes: 7,
  },
  s3: {
    plan: {
      name: 'S3',
      pairs: [pair('c5.large')],
      measurements: [
        { tool: 's3', operation: 'download', scheme: 'http', parallelStreams: 2, durationSeconds: 10 },
        { tool: 's3', operation: 'upload', scheme: 'https', parallelStreams: 2, durationSeconds: 10 },
      ],
    },
    minutes: 8,
  },
  'no-credits': {
    plan: {
      name: 'Without CPU credits',
      pairs: [pair('t3.micro', { clientCpuCredits: 'standard', serverCpuCredits: 'standard' })],
      measurements: [{ tool: 'iperf3', durationSeconds: 60, parallelStreams: 4 }],
    },
    minutes: 7,
  },
  dry: { plan: { ...burst, dryRun: true }, minutes: 1 },
  throttled: { plan: burst, minutes: 65 },
} as const satisfies Record<string, RunPlan>;

export type RunName = keyof typeof RUN_PLANS;
