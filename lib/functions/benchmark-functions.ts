import { Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { TestHosts } from '../test-hosts/test-hosts';
import type { TestNetwork } from '../test-network/test-network';
import type { PayloadStore } from '../result-store/payload-store';
import type { ResultStore } from '../result-store/result-store';
import type { MachineNames } from '../orchestration/machine-names';
import { BenchmarkFunction } from './benchmark-function';
import { Permissions } from './permissions';

export interface BenchmarkFunctionsProps {
  readonly network: TestNetwork;
  readonly hosts: TestHosts;
  readonly store: ResultStore;
  readonly payload: PayloadStore;
  /** By name, because the machines refer to the functions. */
  readonly machines: MachineNames;
}

/** The most there is: it waits for hosts to be gone and saves what a whole run had measured. */
export const REAPER_TIMEOUT = Duration.minutes(15);

/** The nine handlers, each with the environment it reads and the permissions its calls need. */
export class BenchmarkFunctions extends Construct {
  readonly planRun: BenchmarkFunction;
  readonly launchPair: BenchmarkFunction;
  readonly connectPair: BenchmarkFunction;
  readonly ingestChunk: BenchmarkFunction;
  readonly analyseMeasurement: BenchmarkFunction;
  readonly disconnectPair: BenchmarkFunction;
  readonly summariseRun: BenchmarkFunction;
  readonly reapRun: BenchmarkFunction;
  readonly sweepOrphans: BenchmarkFunction;

  constructor(scope: Construct, id: string, props: BenchmarkFunctionsProps) {
    super(scope, id);
    const { network, hosts, store, payload, machines } = props;
    const may = new Permissions(Stack.of(this), store, machines);
    const bucket = { BUCKET_NAME: store.bucket.bucketName };
    const ownTag = { STACK_NAME: Stack.of(this).stackName };
    const athena = { ATHENA_WORKGROUP: store.tables.workGroupName, GLUE_DATABASE: store.tables.databaseName };
    const pairMachine = { PAIR_STATE_MACHINE_ARN: machines.pairArn };

    this.planRun = new BenchmarkFunction(this, 'PlanRun', {
      verbNoun: 'plan-run',
      description: 'Refuses a plan that cannot be measured, or expands and stores it',
      timeout: Duration.minutes(2),
      memoryMebibytes: 1024,
      environment: {
        ...bucket,
        SUBNET_IDS: network.subnetIds.join(','),
        PEERED_SUBNET_IDS: network.peeredSubnetIds.join(','),
        ...athena,
      },
      grants: may.planRun(),
    });
    this.launchPair = new BenchmarkFunction(this, 'LaunchPair', {
      verbNoun: 'launch-pair',
      description: 'Launches the two hosts of a pair, or none',
      timeout: Duration.minutes(10),
      memoryMebibytes: 512,
      environment: {
        ...bucket,
        ...ownTag,
        VPC_ID: network.vpcId,
        SECURITY_GROUP_ID: network.securityGroup.securityGroupId,
        PEERED_SECURITY_GROUP_ID: network.peeredSecurityGroup?.securityGroupId ?? '',
        LAUNCH_TEMPLATE_ID: hosts.launchTemplate.ref,
      },
      grants: may.launchPair(network, hosts),
    });
    this.connectPair = new BenchmarkFunction(this, 'ConnectPair', {
      verbNoun: 'connect-pair',
      description: "Makes the way from a pair's client to its server",
      timeout: Duration.minutes(2),
      memoryMebibytes: 512,
      environment: {
        ...bucket,
        ...ownTag,
        PAYLOAD_BUCKET_NAME: payload.bucket.bucketName,
        VPC_ID: network.vpcId,
      },
      grants: may.connectPair(network),
    });
    this.disconnectPair = new BenchmarkFunction(this, 'DisconnectPair', {
      verbNoun: 'disconnect-pair',
      description: "Removes the way from a pair's client to its server",
      timeout: Duration.minutes(2),
      memoryMebibytes: 512,
      environment: ownTag,
      grants: may.removeOwnDataPaths(),
    });
    this.ingestChunk = new BenchmarkFunction(this, 'IngestChunk', {
      verbNoun: 'ingest-chunk',
      description: 'Turns a raw chunk into live rows while the measurement runs',
      timeout: Duration.minutes(1),
      memoryMebibytes: 512,
      environment: bucket,
      grants: may.ingestChunk(),
    });
    this.analyseMeasurement = new BenchmarkFunction(this, 'AnalyseMeasurement', {
      verbNoun: 'analyse-measurement',
      description: 'Turns the raw streams of one measurement into rows and a verdict',
      timeout: Duration.minutes(5),
      // One whole vCPU.
      memoryMebibytes: 1769,
      environment: { ...bucket, HOST_ROLE_ID: hosts.roleId },
      grants: may.analyseMeasurement(),
    });
    this.summariseRun = new BenchmarkFunction(this, 'SummariseRun', {
      verbNoun: 'summarise-run',
      description: 'Rows, comparisons, report and summary of one run',
      timeout: Duration.minutes(10),
      memoryMebibytes: 1769,
      environment: {
        ...bucket,
        ...pairMachine,
        ...athena,
      },
      grants: may.summariseRun(),
    });
    this.reapRun = new BenchmarkFunction(this, 'ReapRun', {
      verbNoun: 'reap-run',
      description: 'Removes what a stopped, timed-out or failed execution left, and saves what it had measured',
      timeout: REAPER_TIMEOUT,
      memoryMebibytes: 512,
      environment: {
        ...bucket,
        ...ownTag,
        ...pairMachine,
        RUN_STATE_MACHINE_ARN: machines.runArn,
        ANALYSE_FUNCTION_NAME: this.analyseMeasurement.handler.functionName,
        SUMMARISE_FUNCTION_NAME: this.summariseRun.handler.functionName,
      },
      grants: may.reapRun([this.analyseMeasurement.handler, this.summariseRun.handler]),
    });
    this.sweepOrphans = new BenchmarkFunction(this, 'SweepOrphans', {
      verbNoun: 'sweep-orphans',
      description: 'Removes whatever of ours has outlived its time or its execution',
      timeout: Duration.minutes(5),
      memoryMebibytes: 512,
      environment: { ...ownTag, ...pairMachine },
      grants: may.sweepOrphans(),
    });
  }
}
