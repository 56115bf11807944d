import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ContextError, readContext } from '../lib/context';
import { NetworkBenchmarkStack } from '../lib/network-benchmark-stack';
import { settingsIn } from '../lib/settings';
import { checkTemplateSizes } from '../lib/template-size';

const app = new App();
try {
  // The stack sets no Region: it goes to the one that the CDK's command line has found.
  const context = app.node.getAllContext() as Record<string, unknown>;
  const { stackName } = readContext(context, process.env.CDK_DEFAULT_REGION);
  new NetworkBenchmarkStack(app, stackName, settingsIn(context));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  checkTemplateSizes(app);
} catch (error) {
  if (!(error instanceof ContextError)) throw error;
  console.error(error.message);
  // Exits here, because the CDK otherwise synthesises the incomplete app when the program ends.
  process.exit(1);
}
