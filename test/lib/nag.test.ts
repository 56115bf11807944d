/** cdk-nag over the whole stack, as `npx cdk synth` runs it: synthesis fails on what is not acknowledged. */
import type { App } from 'aws-cdk-lib';
import { Validations } from 'aws-cdk-lib';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { NetworkBenchmarkStack } from '../../lib/network-benchmark-stack';
import { newApp } from '../support/synth';

/** With everything that a context can add. */
function checkedApp(): { app: App; stack: NetworkBenchmarkStack } {
  const app = newApp({ peering: true, canarySchedule: 'rate(1 day)', canaryPlan: 'examples/plans/smoke.json' });
  const stack = new NetworkBenchmarkStack(app, 'NetworkBenchmark');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack };
}

test('cdk-nag leaves nothing unacknowledged', () => {
  const { app } = checkedApp();
  expect(() => app.synth()).not.toThrow();
});

test('fails on a finding that nobody has acknowledged', () => {
  const { app, stack } = checkedApp();
  new CfnBucket(stack, 'OpenBucket');
  expect(() => app.synth()).toThrow(/OpenBucket[^]*AwsSolutions-S10/);
});
