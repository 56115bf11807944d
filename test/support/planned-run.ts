/**
 * A planned run as plan-run stores it: one pair in a zone, a latency and a throughput measurement, unless told
 * otherwise.
 */
import type { InstanceTypeFacts } from '../../domain/model/instance-type';
import { cpuCreditsOf } from '../../domain/plan/check-eligibility';
import { expandPlan } from '../../domain/plan/expand-plan';
import type { HostFacts, Offer, OfferedInstanceType } from '../../domain/plan/offer';
import type { PairSubnets, PlannedRun, Subnet } from '../../domain/model/planned-run';
import { benchmarkPlan } from '../../domain/plan/schema';

export const RUN_ID = 'run-1';
export const DAY = '2026-11-20';

/** The zones' ids are in the opposite order of their names, so that a test sees it when one is taken for the other. */
export function subnet(letter: string): Subnet {
  const zoneId = `eut1-az${100 - letter.charCodeAt(0)}`;
  return { subnetId: `subnet-${letter}`, zone: `eu-test-1${letter}`, zoneId, vpcId: 'vpc-hosts' };
}

export const THREE_ZONES: readonly PairSubnets[] = ['a', 'b', 'c'].map((letter) => ({
  client: subnet(letter),
  server: subnet(letter),
}));

export function typeFacts(instanceType: string, facts: Partial<InstanceTypeFacts> = {}): InstanceTypeFacts {
  return {
    instanceType,
    architecture: 'x86_64',
    vcpuCount: 4,
    isBurstableCpu: false,
    supportsClusterPlacement: true,
    supportsEnaExpress: true,
    ...facts,
  };
}

/** A type as EC2 reports it, of architecture x86_64 unless told otherwise. */
export function offeredType(instanceType: string, facts: Partial<OfferedInstanceType> = {}): OfferedInstanceType {
  const { architecture, ...others } = typeFacts(instanceType);
  return { ...others, architectures: [architecture], ...facts };
}

/** @param zones the letters of those that offer each type */
export function offerOf(
  types: readonly OfferedInstanceType[],
  zones: Readonly<Record<string, string>>,
  hosts: Partial<HostFacts> = {},
): Offer {
  return {
    subnets: ['a', 'b', 'c'].map(subnet),
    peeredSubnets: [],
    instanceTypes: new Map(types.map((type) => [type.instanceType, type])),
    zonesOfType: new Map(
      Object.entries(zones).map(([name, letters]) => [
        name,
        new Set([...letters].map((letter) => subnet(letter).zone)),
      ]),
    ),
    hosts: { region: 'eu-test-1', hostVpcs: [], hasPublicAddresses: true, imageParameters: [], ...hosts },
  };
}

export function plannedRun(
  overrides: Record<string, unknown> = {},
  types: readonly InstanceTypeFacts[] = [typeFacts('c5.xlarge')],
): PlannedRun {
  const plan = benchmarkPlan.parse({
    name: 'test plan',
    order: 'as_written',
    pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
    measurements: [
      { tool: 'iperf3', durationSeconds: 60 },
      { tool: 'sockperf', durationSeconds: 10 },
    ],
    ...overrides,
  });
  const instanceTypes = new Map(types.map((type) => [type.instanceType, type]));
  return {
    schema: 'network-benchmark.plan.v1',
    runId: RUN_ID,
    createdAt: `${DAY}T10:00:00.000Z`,
    day: DAY,
    plan,
    seed: 1,
    expectedUsd: 0.5,
    upperUsd: 2.25,
    images: { x86_64: 'ami-x86', arm64: 'ami-arm' },
    instanceTypes: Object.fromEntries(instanceTypes),
    tags: plan.tags,
    pairs: expandPlan(
      plan,
      (_, pair) => ({
        candidateSubnets: THREE_ZONES,
        zoneRelation: pair.zoneRelation ?? 'same_zone',
        hasBareMetal: false,
        ...cpuCreditsOf(pair, instanceTypes),
      }),
      1,
      instanceTypes,
    ),
  };
}
