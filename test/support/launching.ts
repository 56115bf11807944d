/** launch-pair over a store and an EC2 in memory. */
import type { PlannedRun } from '../../domain/model/planned-run';
import { planKey } from '../../domain/workflow/object-keys';
import { makeLaunchPair, type LaunchPairDependencies } from '../../lambdas/launch-pair/launch-pair';
import { FakeEc2 } from './fake-ec2';
import { FakeStore } from './fake-store';
import { plannedRun, RUN_ID } from './planned-run';

/** A run of one pair that differs from the usual in these. */
export function plannedPair(conditions: Record<string, unknown>): PlannedRun {
  return plannedRun({ pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', ...conditions }] });
}

/** @param there what an earlier launch left; nothing by default */
export function launching(
  run: PlannedRun = plannedRun(),
  overrides: Partial<LaunchPairDependencies> = {},
  { store, ec2 } = { store: new FakeStore(), ec2: new FakeEc2() },
) {
  const slept: number[] = [];
  let now = Date.parse('2026-11-20T10:00:00.000Z');
  store.putJson(planKey(RUN_ID), run);
  const launchPair = makeLaunchPair({
    bucketName: 'results',
    stackName: 'TheStack',
    vpcId: 'vpc-1',
    securityGroupId: 'sg-1',
    peeredSecurityGroupId: 'sg-peered',
    launchTemplateId: 'lt-1',
    ...ec2,
    store: store.adapter,
    // Time goes on between any two looks at the clock.
    now: () => new Date((now += 1_000)),
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
    },
    log: () => undefined,
    ...overrides,
  });
  const request = { runId: RUN_ID, pairIndex: 0 };
  return {
    launchPair: (redriveCount?: number) => launchPair({ ...request, redriveCount }),
    store,
    ec2,
    slept,
  };
}
