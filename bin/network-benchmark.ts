import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readContext, readStackName } from '../lib/context';
import { ContextError, readAll } from '../lib/context-error';
import { NetworkBenchmarkStack } from '../lib/network-benchmark-stack';
import { misspeltSettings, refuseMisspelt } from '../lib/setting-names';

const app = new App();
const misspelt = misspeltSettings(Object.keys(app.node.getAllContext() as object));
/** What stands under a misspelt name is checked, too, and another setting may depend on it. */
const asMeant = (name: string): unknown => {
  const keys = [name, ...misspelt.filter(({ meant }) => meant === name).map((each) => each.key)];
  return keys.map((each): unknown => app.node.tryGetContext(each)).find((value) => value !== undefined);
};
try {
  const { stackName, context } = readAll({
    spelling: () => {
      refuseMisspelt(misspelt);
    },
    stackName: () => readStackName({ tryGetContext: asMeant }),
    // The stack has no Region of its own: it goes to the one that the CDK's command line has found.
    context: () => readContext({ tryGetContext: asMeant }, process.env.CDK_DEFAULT_REGION),
  });
  new NetworkBenchmarkStack(app, stackName, context);
} catch (error) {
  if (!(error instanceof ContextError)) throw error;
  console.error(error.message);
  // Whatever the app has by now would otherwise be synthesised at the end.
  process.exit(1);
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
