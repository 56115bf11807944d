import { Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { DeploymentLimits } from '../../domain/forecast/deployment-limits';
import { MAX_MEBIBYTES_OF_ANY_ACCOUNT, ONE_VCPU_MEBIBYTES } from '../../domain/model/service-facts';
import type { MachineNames } from '../names';
import type { PayloadStore, ResultStore } from '../result-store/result-store';
import type { TestHosts } from '../test-hosts/test-hosts';
import type { TestNetwork } from '../test-network/test-network';
import { BenchmarkFunction } from './benchmark-function';
import { connectPairGrants, removeDataPathGrants } from './data-path-grants';
import {
  analyseMeasurementGrants,
  ingestChunkGrants,
  launchPairGrants,
  planRunGrants,
  publishRunGrants,
  reapRunGrants,
  summariseRunGrants,
  sweepOrphansGrants,
} from './handler-grants';
import type { MetricRuns, HostOptions } from '../settings';

export interface BenchmarkFunctionsProps {
  readonly network: TestNetwork;
  readonly hosts: TestHosts;
  readonly store: ResultStore;
  readonly payload: PayloadStore;
  /** The names alone, because the state machines themselves refer to the functions. */
  readonly machines: MachineNames;
  readonly hostOptions: HostOptions;
  /** The topic for messages about runs. @default nobody is notified */
  readonly topicArn?: string;
  readonly metrics: MetricRuns;
  /** For how many hours a link to a report opens without an account; 0 if there is no such link. */
  readonly presignedReportHours: number;
}

/** The timeout of launch-pair, which may wait for capacity, and of summarise-run, which may read 1,000 pairs. */
export const LONGEST_HANDLER_TIMEOUT = Duration.minutes(10);

/**
 * reap-run stops waiting after three and a half minutes (`RELEASE_ATTEMPTS`), and what it asks other functions to do
 * goes on without it.
 */
const REAP_RUN_TIMEOUT = Duration.minutes(5);

/** The handlers of a run, each with the environment that it reads and the grants that its calls need. */
export class BenchmarkFunctions extends Construct {
  readonly planRun: BenchmarkFunction;
  readonly launchPair: BenchmarkFunction;
  readonly connectPair: BenchmarkFunction;
  readonly ingestChunk: BenchmarkFunction;
  readonly analyseMeasurement: BenchmarkFunction;
  readonly disconnectPair: BenchmarkFunction;
  readonly summariseRun: BenchmarkFunction;
  readonly publishRun: BenchmarkFunction;
  readonly reapRun: BenchmarkFunction;
  readonly sweepOrphans: BenchmarkFunction;

  constructor(scope: Construct, id: string, props: BenchmarkFunctionsProps) {
    super(scope, id);
    const { network, hosts, store, payload, machines } = props;
    const { hostVpcs, publicAddresses, imageParameters, tags, maxCostUsdPerRun, maxInstances } = props.hostOptions;
    const bucket = { BUCKET_NAME: store.bucket.bucketName };
    const ownTag = { STACK_NAME: Stack.of(this).stackName };
    const athena = { ATHENA_WORKGROUP: store.tables.workGroupName, GLUE_DATABASE: store.tables.databaseName };
    const presigned = { PRESIGNED_REPORT_HOURS: String(props.presignedReportHours) };
    const pairMachine = { PAIR_STATE_MACHINE_ARN: machines.pairArn };

    this.planRun = new BenchmarkFunction(this, 'PlanRun', {
      description: 'Expands and stores a benchmark plan, or rejects a plan that cannot be measured',
      timeout: Duration.minutes(2),
      memoryMebibytes: 1024,
      environment: {
        ...bucket,
        SUBNET_IDS: network.subnetIds.join(','),
        PEERED_SUBNET_IDS: network.peeredSubnetIds.join(','),
        HOST_VPCS: hostVpcs === 'any' ? hostVpcs : hostVpcs.join(','),
        PUBLIC_ADDRESSES: String(publicAddresses),
        IMAGE_PARAMETERS: imageParameters.join(','),
        TAGS: JSON.stringify(tags),
        LIMITS: JSON.stringify({ maxCostUsdPerRun, maxInstances } satisfies DeploymentLimits),
        ...athena,
      },
      grants: planRunGrants(this, store, imageParameters),
    });
    this.launchPair = new BenchmarkFunction(this, 'LaunchPair', {
      description: 'Launches both hosts of a pair, or leaves none behind',
      timeout: LONGEST_HANDLER_TIMEOUT,
      environment: {
        ...bucket,
        ...ownTag,
        VPC_ID: network.vpcId,
        SECURITY_GROUP_ID: network.securityGroup.securityGroupId,
        PEERED_SECURITY_GROUP_ID: network.peeredSecurityGroup?.securityGroupId ?? '',
        LAUNCH_TEMPLATE_ID: hosts.launchTemplate.ref,
      },
      grants: launchPairGrants(this, store.bucket, network, hosts, hostVpcs),
    });
    this.connectPair = new BenchmarkFunction(this, 'ConnectPair', {
      description: 'Creates the network path from the client of a pair to its server',
      timeout: Duration.minutes(2),
      environment: { ...bucket, ...ownTag, PAYLOAD_BUCKET_NAME: payload.bucket.bucketName, VPC_ID: network.vpcId },
      grants: connectPairGrants(this, store.bucket, network),
    });
    this.disconnectPair = new BenchmarkFunction(this, 'DisconnectPair', {
      description: 'Removes the network path from the client of a pair to its server',
      timeout: Duration.minutes(2),
      environment: ownTag,
      grants: removeDataPathGrants(this),
    });
    this.ingestChunk = new BenchmarkFunction(this, 'IngestChunk', {
      description: 'Turns a raw chunk into rows of live_samples while its measurement runs',
      timeout: Duration.minutes(1),
      environment: bucket,
      grants: ingestChunkGrants(store.bucket),
    });
    this.analyseMeasurement = new BenchmarkFunction(this, 'AnalyseMeasurement', {
      description: 'Turns the raw streams of one measurement into rows and a verdict',
      timeout: Duration.minutes(5),
      // 64 streams in both directions for two hours take 2.6 GiB; the limits of a stream allow no more.
      memoryMebibytes: MAX_MEBIBYTES_OF_ANY_ACCOUNT,
      environment: { ...bucket, HOST_ROLE_ID: hosts.roleId },
      grants: analyseMeasurementGrants(store.bucket),
    });
    this.summariseRun = new BenchmarkFunction(this, 'SummariseRun', {
      description: 'Writes the rows, comparisons, report and summary of one run',
      timeout: LONGEST_HANDLER_TIMEOUT,
      memoryMebibytes: ONE_VCPU_MEBIBYTES,
      environment: {
        ...bucket,
        ...pairMachine,
        ...athena,
        ...presigned,
        RUN_STATE_MACHINE_ARN: machines.runArn,
      },
      grants: summariseRunGrants(this, store, machines),
    });
    this.publishRun = new BenchmarkFunction(this, 'PublishRun', {
      description:
        'Makes the end of a run known: in the history of all runs, the page over them, metrics and a message',
      timeout: Duration.minutes(5),
      memoryMebibytes: 1024,
      environment: {
        ...bucket,
        ...ownTag,
        RUN_STATE_MACHINE_ARN: machines.runArn,
        TOPIC_ARN: props.topicArn ?? '',
        METRICS: props.metrics,
        ...presigned,
      },
      grants: publishRunGrants(store.bucket, {
        topicArn: props.topicArn,
        // A link opens with the permissions of the role that has signed it.
        signsReports: props.topicArn !== undefined && props.presignedReportHours > 0,
      }),
    });
    this.reapRun = new BenchmarkFunction(this, 'ReapRun', {
      description: 'Removes what a stopped, timed-out or failed execution left behind, and saves what it had measured',
      timeout: REAP_RUN_TIMEOUT,
      environment: {
        ...bucket,
        ...ownTag,
        ...pairMachine,
        RUN_STATE_MACHINE_ARN: machines.runArn,
        ANALYSE_FUNCTION_NAME: this.analyseMeasurement.handler.functionName,
        SUMMARISE_FUNCTION_NAME: this.summariseRun.handler.functionName,
      },
      grants: reapRunGrants(this, store.bucket, machines, [this.analyseMeasurement.handler, this.summariseRun.handler]),
    });
    this.sweepOrphans = new BenchmarkFunction(this, 'SweepOrphans', {
      description: 'Removes hosts and network resources that have outlived their deadline or their execution',
      timeout: Duration.minutes(5),
      environment: {
        ...bucket,
        ...ownTag,
        ...pairMachine,
        RUN_STATE_MACHINE_ARN: machines.runArn,
        ANALYSE_FUNCTION_NAME: this.analyseMeasurement.handler.functionName,
        REAP_FUNCTION_NAME: this.reapRun.handler.functionName,
      },
      grants: sweepOrphansGrants(this, store.bucket, machines, [this.analyseMeasurement.handler, this.reapRun.handler]),
    });
  }
}
