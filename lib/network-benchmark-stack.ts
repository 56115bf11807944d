import type { StackProps } from 'aws-cdk-lib';
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { readContext } from './context';
import { BenchmarkFunctions } from './functions/benchmark-functions';
import { MeasurementDocuments } from './measurement-documents/measurement-documents';
import { Operations } from './operations/operations';
import { MachineNames } from './orchestration/machine-names';
import { NetworkBenchmark } from './orchestration/network-benchmark';
import { PairBenchmark } from './orchestration/pair-benchmark';
import { PayloadStore } from './result-store/payload-store';
import { ResultStore } from './result-store/result-store';
import { TestHosts } from './test-hosts/test-hosts';
import { TestNetwork } from './test-network/test-network';

/** Everything that one account and region need to measure; nothing of it costs money while no run is on, but storage. */
export class NetworkBenchmarkStack extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, { description: 'Measures the network between EC2 instance pairs', ...props });
    const context = readContext(this.node);
    const machines = new MachineNames(this);

    const network = new TestNetwork(this, 'TestNetwork', context);
    const store = new ResultStore(this, 'ResultStore', context);
    const payload = new PayloadStore(this, 'PayloadStore');
    const hosts = new TestHosts(this, 'TestHosts', { bucket: store.bucket, payloadBucket: payload.bucket });
    const documents = new MeasurementDocuments(this, 'MeasurementDocuments');
    const functions = new BenchmarkFunctions(this, 'Functions', { network, store, payload, hosts, machines });
    const pairBenchmark = new PairBenchmark(this, 'PairBenchmark', {
      machines,
      documents,
      launchPair: functions.launchPair.handler,
      connectPair: functions.connectPair.handler,
      analyseMeasurement: functions.analyseMeasurement.handler,
      disconnectPair: functions.disconnectPair.handler,
    });
    const networkBenchmark = new NetworkBenchmark(this, 'NetworkBenchmark', {
      machines,
      pairBenchmark,
      planRun: functions.planRun.handler,
      summariseRun: functions.summariseRun.handler,
    });
    new Operations(this, 'Operations', {
      bucket: store.bucket,
      functions,
      machines,
      stateMachine: networkBenchmark.stateMachine,
      ...(context.canary === undefined ? {} : { canary: context.canary }),
    });

    const { stateMachineArn } = networkBenchmark.stateMachine;
    new CfnOutput(this, 'RunStateMachineArn', { value: stateMachineArn });
    new CfnOutput(this, 'PairStateMachineArn', { value: pairBenchmark.stateMachine.stateMachineArn });
    new CfnOutput(this, 'RunConsole', {
      description: 'Start a run here, with a plan as its input',
      value: `https://${this.region}.console.aws.amazon.com/states/home?region=${this.region}#/statemachines/view/${stateMachineArn}`,
    });
    new CfnOutput(this, 'BucketName', { value: store.bucket.bucketName });
    new CfnOutput(this, 'WorkgroupName', { value: store.tables.workGroupName });
    new CfnOutput(this, 'DatabaseName', { value: store.tables.databaseName });
  }
}
