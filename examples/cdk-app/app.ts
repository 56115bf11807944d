/** EC2 Network Bench in an app of one's own: it measures every Monday, and its messages go to a topic of the app. */
import { App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { NetworkBenchmarkStack } from 'ec2-network-bench';

const env = { account: '111122223333', region: 'eu-west-1' };
const topicName = 'network-benchmarks';
const app = new App();

const operations = new Stack(app, 'Operations', { env });
new Topic(operations, 'Topic', { topicName });

const benchmark = new NetworkBenchmarkStack(app, 'NetworkBenchmark', {
  env,
  zones: ['eu-west-1a', 'eu-west-1c'],
  canarySchedule: 'cron(0 6 ? * MON *)',
  notify: `arn:aws:sns:${env.region}:${env.account}:${topicName}`,
  tags: { CostCenter: '42' },
});
benchmark.addStackDependency(operations);
