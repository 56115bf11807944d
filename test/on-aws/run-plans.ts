/** The runs that checks look at. Each is as small as its checks allow, and several checks look at the same one. */
import burst from '../../examples/plans/burst-30-minutes-m5.2xlarge.json';
import smoke from '../../examples/plans/smoke.json';

type Plan = Readonly<Record<string, unknown>>;

export interface RunPlan {
  /** The input of the execution, before `maxCostUsd` is set, or how it is made from a subnet of the stack. */
  readonly plan: Plan | ((subnetId: string) => Plan);
  /** The run that has to be over first: one to compare with, or one whose stored plan names the stack's subnets. */
  readonly after?: RunName;
  /** Whether the service has to refuse the plan, so that it costs nothing. */
  readonly isRefused?: boolean;
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

/** A name of its own, so that `"compareTo": "previous"` means the run of this proof and nobody else's. */
const smokePlan = { ...smoke, name: 'Smoke test of npm run prove' };
const roundTrip = smoke.measurements.filter(({ tool }) => tool === 'sockperf');

const PLANS = {
  smoke: { plan: smokePlan, minutes: 7 },
  small: {
    plan: (subnetId: string) => ({
      name: 'Small measurements',
      pairs: [
        pair('c5.large', { placement: 'cluster' }),
        pair('c5.large', { zoneRelation: 'other_zone' }),
        pair('c5.large', { client: { subnetId }, server: { subnetId } }),
      ],
      measurements: [{ tool: 'ping', count: 20 }, { tool: 'tracepath' }],
      order: 'as_written',
      concurrency: 2,
    }),
    after: 'dry',
    minutes: 9,
  },
  again: {
    plan: {
      ...smokePlan,
      measurements: [
        ...roundTrip,
        { tool: 'sockperf', mode: 'under_load', messagesPerSecond: 500, durationSeconds: 10 },
        { tool: 'http', durationSeconds: 10 },
        {
          tool: 'iperf3',
          mode: 'packets',
          protocol: 'udp',
          datagramBytes: 64,
          targetBitsPerSecond: 8e6,
          durationSeconds: 10,
        },
        { tool: 'iperf3', durationSeconds: 40, dutyCycle: { onSeconds: 5, offSeconds: 5 } },
      ],
      concurrency: 2,
      compareTo: 'previous',
      // The first is met by every network, the second by none.
      expect: [1_000_000, 1].map((max) => ({ measurement: 0, 'rttMicros.p50': { max } })),
      failOn: 'expectations',
    },
    after: 'smoke',
    minutes: 12,
  },
  refused: {
    plan: {
      name: 'Refused',
      pairs: [pair('t3.micro'), pair('t3.nosuch')],
      measurements: smoke.measurements,
      maxCostUsd: 0.0001,
    },
    isRefused: true,
    minutes: 1,
  },
  srd: {
    plan: {
      name: 'ENA Express',
      pairs: [pair('m6i.8xlarge', { enaExpress: 'both' })],
      measurements: [{ tool: 'iperf3', durationSeconds: 10 }],
    },
    minutes: 7,
  },
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
} as const;

export type RunName = keyof typeof PLANS;

export const RUN_PLANS: Readonly<Record<RunName, RunPlan>> = PLANS;

/** @param subnetId of the stack; the price does not depend on it */
export function planOf(name: RunName, subnetId = 'subnet-0123456789abcdef0'): Plan {
  const { plan } = RUN_PLANS[name];
  return typeof plan === 'function' ? plan(subnetId) : plan;
}

/** A run with those that it needs before it, which come first. */
export function withEarlier(name: RunName): RunName[] {
  const { after } = RUN_PLANS[name];
  return after === undefined ? [name] : [...withEarlier(after), name];
}
