import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readStackName } from '../lib/context';
import { ContextError } from '../lib/context-error';
import { NetworkBenchmarkStack } from '../lib/network-benchmark-stack';
import { refuseMisspeltSettings } from '../lib/setting-names';

const app = new App();
try {
  refuseMisspeltSettings(Object.keys(app.node.getAllContext() as object));
  new NetworkBenchmarkStack(app, readStackName(app.node));
} catch (error) {
  if (!(error instanceof ContextError)) throw error;
  console.error(error.message);
  // Whatever the app has by now would otherwise be synthesised at the end.
  process.exit(1);
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
