/** An account for the checks of `npm run prove`: one stack, in memory. A test changes what the service does in it. */
import type { Account, DeployedStack } from '../on-aws/account';
import { DOCUMENT_NAMES } from '../../lib/measurement-documents/measurement-documents';
import { FakeEc2 } from './fake-ec2';
import { FakeExecutions } from './fake-executions';
import { FakeLoadBalancers } from './fake-load-balancers';
import { FakeStore } from './fake-store';

export const STACK: DeployedStack = {
  name: 'TheStack',
  status: 'CREATE_COMPLETE',
  account: '123456789012',
  region: 'eu-test-1',
  bucket: 'results',
  database: 'database',
  workgroup: 'workgroup',
  runStateMachineArn: 'arn:aws:states:eu-test-1:123456789012:stateMachine:run',
  pairStateMachineArn: 'arn:aws:states:eu-test-1:123456789012:stateMachine:pair',
};

export class FakeAccount {
  readonly ec2 = new FakeEc2();
  readonly elb = new FakeLoadBalancers();
  readonly executions = new FakeExecutions();
  readonly store = new FakeStore();
  readonly inputs = new Map<string, unknown>();
  stackStatus = STACK.status;
  /** By deployed name. */
  readonly documents = new Map(DOCUMENT_NAMES.map((name) => [`${STACK.name}-${name}`, 'Active']));
  /** What the service does when a run is started. */
  onStart: (runId: string) => void = () => undefined;
  /** Replaces single calls. */
  overrides: Partial<Account> = {};

  get account(): Account {
    const { ec2, elb, executions, store } = this;
    const calls: Partial<Account> = {
      credentials: async () => ({ isTemporary: false, isRenewed: false }),
      getEc2Quota: async () => 64,
      describeVcpusInUse: async () => [],
      findFreePlanTypes: async () => undefined,
      describeStack: async () => ({
        status: this.stackStatus,
        outputs: {
          BucketName: STACK.bucket,
          DatabaseName: STACK.database,
          WorkgroupName: STACK.workgroup,
          RunStateMachineArn: STACK.runStateMachineArn,
          PairStateMachineArn: STACK.pairStateMachineArn,
        },
      }),
      listStackResources: async () =>
        [...this.documents.keys()].map((physicalId) => ({
          logicalId: physicalId,
          type: 'AWS::SSM::Document',
          physicalId,
        })),
      documentStatus: async (name) => this.documents.get(name),
      startExecution: async (machine, name, input) => {
        executions.add(machine, name, 'RUNNING');
        this.inputs.set(name, input);
        this.onStart(name);
      },
      describeExecution: executions.describeExecution,
      hasSucceededTask: executions.hasSucceededTask,
      listRunningExecutions: executions.listRunningExecutions,
      stopExecution: executions.stopExecution,
      readableBucket: () => store,
      listableBucket: () => store,
      deletableBucket: () => store,
      createPlacementGroup: ec2.createPlacementGroup,
      findHosts: ec2.findHosts,
      terminateHosts: ec2.terminateHosts,
      findPlacementGroups: ec2.findPlacementGroups,
      deletePlacementGroup: ec2.deletePlacementGroup,
      findSecurityGroups: ec2.findSecurityGroups,
      revokeIngress: ec2.revokeIngress,
      deleteSecurityGroup: ec2.deleteSecurityGroup,
      findLoadBalancers: elb.findLoadBalancers,
      deleteLoadBalancer: elb.deleteLoadBalancer,
      findTargetGroups: elb.findTargetGroups,
      deleteTargetGroup: elb.deleteTargetGroup,
      ...this.overrides,
    };
    return calls as Account;
  }
}
