import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { readContext } from './context';
import { BenchmarkFunctions } from './functions/benchmark-functions';
import { MeasurementDocuments } from './measurement-documents/measurement-documents';
import { Notifications } from './operations/alarms';
import { Operations } from './operations/operations';
import { machineNames } from './names';
import { NetworkBenchmark } from './orchestration/network-benchmark';
import { PairBenchmark } from './orchestration/pair-benchmark';
import { EmptiedBuckets } from './result-store/emptied-buckets';
import { PayloadStore, ResultStore } from './result-store/result-store';
import { TestHosts } from './test-hosts/test-hosts';
import type { SettingsInput } from './settings';
import { TestNetwork } from './test-network/test-network';

/** The settings of docs/deploy.md, and what the CDK wants to know of a stack. */
export interface NetworkBenchmarkProps
  extends SettingsInput, Pick<StackProps, 'env' | 'synthesizer' | 'terminationProtection'> {}

/** Everything that is needed to measure in one account and Region. Between runs it costs only its storage. */
export class NetworkBenchmarkStack extends Stack {
  /** @param id is the stack's name, too, where the properties give no other */
  constructor(scope: Construct, id: string, props: NetworkBenchmarkProps = {}) {
    const { env, synthesizer, terminationProtection, ...settings } = props;
    const context = readContext({ stackName: id, ...settings }, env?.region);
    super(scope, id, {
      stackName: context.stackName,
      description: 'Measures the network between EC2 instance pairs',
      // CloudFormation puts the stack's tags on every resource that can have some, which keeps them out of the template.
      tags: { ...context.tags },
      // CloudFormation counts the bytes of a template, indentation included.
      suppressTemplateIndentation: true,
      env,
      synthesizer,
      terminationProtection,
    });
    for (const [flag, value] of featureFlags()) this.node.setContext(flag, value);
    const machines = machineNames(this);

    const network = new TestNetwork(this, 'TestNetwork', context);
    const store = new ResultStore(this, 'ResultStore', context);
    const payload = new PayloadStore(this, 'PayloadStore');
    const hosts = new TestHosts(this, 'TestHosts', {
      bucket: store.bucket,
      payloadBucket: payload.bucket,
      tags: context.tags,
    });
    const { pinned: documents } = new MeasurementDocuments(this, 'MeasurementDocuments');
    const { notify } = context;
    const notifications = notify === undefined ? undefined : new Notifications(this, 'Notifications', { notify });
    const topicArn = notifications?.topicArn;
    const functions = new BenchmarkFunctions(this, 'Functions', {
      network,
      store,
      payload,
      hosts,
      machines,
      hostOptions: context,
      topicArn,
      metrics: context.metrics,
      presignedReportHours: context.presignedReportHours,
    });
    const pairBenchmark = new PairBenchmark(this, 'PairBenchmark', { machines, functions, documents });
    const { stateMachine } = new NetworkBenchmark(this, 'NetworkBenchmark', { machines, functions, pairBenchmark });
    const { closings } = new Operations(this, 'Operations', {
      bucket: store.bucket,
      functions,
      machines,
      stateMachine,
      canary: context.canary,
      topicArn,
      metrics: context.metrics,
    });
    new EmptiedBuckets(this, 'EmptiedBuckets', {
      buckets: context.keepsResults ? [payload.bucket] : [payload.bucket, store.bucket],
      vpcs: network.ownVpcs,
      writers: [hosts, functions, closings],
    });

    const { stateMachineArn } = stateMachine;
    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description });
    output('RunStateMachineArn', stateMachineArn, 'State machine that runs a plan');
    output(
      'PairStateMachineArn',
      pairBenchmark.stateMachine.stateMachineArn,
      'State machine that measures one pair; a run starts it once per pair',
    );
    output(
      'RunConsole',
      `https://${this.region}.console.aws.amazon.com/states/home?region=${this.region}` +
        `#/statemachines/view/${stateMachineArn}`,
      'Console page where you start a run; its input is a plan',
    );
    // The output `Zones` and the zones of all subnets join `Fn::GetAZs`.
    Validations.of(this).acknowledge({
      id: 'CloudFormation-Validate::E1022',
      reason:
        "CloudFormation documents Fn::GetAZs among the functions that Fn::Join's list may be; the CDK's check has the rule " +
        'of an older cfn-lint, which refused it (cfn-lint issue 4674)',
    });
    output('Zones', network.zones.join(', '), 'Zones of the subnets; where fewer zones are listed, one has several');
    output('BucketName', store.bucket.bucketName, 'Bucket with the raw streams, rows and reports');
    output('WorkgroupName', store.tables.workGroupName, 'Athena workgroup with the saved queries');
    if (topicArn !== undefined) {
      const text =
        'Topic of messages about runs and of alarms; SNS mails each new address a link that must be confirmed';
      output('NotificationTopicArn', topicArn, text);
    }
    output('DatabaseName', store.tables.databaseName, 'Glue database with the tables of results');
  }

  /**
   * None, because the network takes its zones from the settings. Otherwise the CDK would compare them with those of the
   * account, and where the app names account and Region, that needs credentials at synthesis.
   */
  override get availabilityZones(): string[] {
    return [];
  }
}

/** Returns the CDK's feature flags of this project, because with those of another app the template would be another. */
function featureFlags(): [string, unknown][] {
  const { context } = JSON.parse(readFileSync(join(__dirname, '../cdk.json'), 'utf8')) as { context: object };
  return Object.entries(context).filter(([key]) => key.startsWith('@aws-cdk'));
}
