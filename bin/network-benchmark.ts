import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readStackName } from '../lib/context';
import { NetworkBenchmarkStack } from '../lib/network-benchmark-stack';

const app = new App();
new NetworkBenchmarkStack(app, readStackName(app.node));
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
