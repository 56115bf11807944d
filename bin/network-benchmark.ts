import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { NetworkBenchmarkStack } from '../lib/network-benchmark-stack';

const app = new App();
const stackName: unknown = app.node.tryGetContext('stackName') ?? 'NetworkBenchmark';
if (typeof stackName !== 'string' || !/^[a-zA-Z][a-zA-Z0-9-]{0,39}$/.test(stackName)) {
  throw new Error(
    'context stackName: must be 1 to 40 letters, digits and hyphens, beginning with a letter, ' +
      `got ${JSON.stringify(stackName)}`,
  );
}
new NetworkBenchmarkStack(app, stackName);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
