/** Runs cdk-nag over the whole stack as `npx cdk synth` does: synthesis fails on a finding that is not acknowledged. */
import type { App } from 'aws-cdk-lib';
import { Validations } from 'aws-cdk-lib';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { NetworkBenchmarkStack } from '../../lib/network-benchmark-stack';
import { newApp } from '../support/synth';

/** The stack with everything that the context can add. */
function checkedApp(): { app: App; stack: NetworkBenchmarkStack } {
  const app = newApp({ peering: true, canarySchedule: 'rate(1 day)', canaryPlan: 'examples/plans/smoke.json' });
  const stack = new NetworkBenchmarkStack(app, 'NetworkBenchmark');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack };
}

test('cdk-nag has no finding that is not acknowledged', () => {
  const { app } = checkedApp();
  expect(() => app.synth()).not.toThrow();
});

test('fails on a finding that is not acknowledged', () => {
  const { app, stack } = checkedApp();
  new CfnBucket(stack, 'OpenBucket');
  expect(() => app.synth()).toThrow(/OpenBucket[^]*AwsSolutions-S10/);
});
