/** Runs cdk-nag over the whole stack as `npx cdk synth` does: synthesis fails on a finding that is not acknowledged. */
import type { App } from 'aws-cdk-lib';
import { Validations } from 'aws-cdk-lib';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { NetworkBenchmarkStack } from '../../lib/network-benchmark-stack';
import { newApp, stackOf } from '../support/synth';

/** The stack with everything that the context can add. */
function checkedApp(hostVpcs: string[] | string = []): { app: App; stack: NetworkBenchmarkStack } {
  const canary = { canarySchedule: 'rate(1 day)', canaryPlan: 'examples/plans/smoke.json' };
  const app = newApp({ peering: true, hostVpcs, notify: 'me@example.com', presignedReports: 12, ...canary });
  const stack = stackOf(app);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack };
}

test.each([[[]], ['vpc-1,vpc-2'], ['any']])(
  'cdk-nag has no finding that is not acknowledged, with hosts in the networks %j',
  (hostVpcs) => {
    const { app } = checkedApp(hostVpcs);
    expect(() => app.synth()).not.toThrow();
  },
);

test('cdk-nag has no finding in the stack without any setting', () => {
  const app = newApp();
  stackOf(app);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
});

test('fails on a finding that is not acknowledged', () => {
  const { app, stack } = checkedApp();
  new CfnBucket(stack, 'OpenBucket');
  expect(() => app.synth()).toThrow(/OpenBucket[^]*AwsSolutions-S10/);
});
