/** The calls of AWS that only the checks and the removal make; those of the handlers are in `lambdas/adapters/`. */
import {
  DescribeDocumentCommand,
  GetCommandInvocationCommand,
  paginateListCommandInvocations,
  SendCommandCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import {
  DescribeListenerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  ModifyListenerAttributesCommand,
  paginateDescribeListeners,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import {
  DescribeNetworkInterfacesCommand,
  EC2Client,
  paginateDescribeVpcPeeringConnections,
} from '@aws-sdk/client-ec2';
import { AthenaClient, GetNamedQueryCommand, paginateListNamedQueries } from '@aws-sdk/client-athena';
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { REPEATED_BY_SDK, allOf, answered, withExpectedErrors } from '../../../lambdas/adapters/answers';

export { describeStack, listStackResources } from '../../../lambdas/adapters/cloudformation';

// Step Functions: starts runs and reads their output.

const stepFunctions = new SFNClient(REPEATED_BY_SDK);

export async function startExecution(stateMachineArn: string, name: string, input: unknown): Promise<void> {
  await stepFunctions.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
}

/** @param arn of the execution @returns undefined while it runs, and when it failed */
export async function executionOutput(arn: string): Promise<string | undefined> {
  const { output } = await stepFunctions.send(new DescribeExecutionCommand({ executionArn: arn }));
  return output;
}

// The credentials that every client here has.

export interface Credentials {
  /** Whether they end by themselves. */
  readonly isTemporary: boolean;
  /** Whether the SDK gets new ones: those of a profile it asks for again, exported ones are all there is. */
  readonly isRenewed: boolean;
  /** Absent where nothing says when. */
  readonly expiresAt?: Date;
}

export async function credentials(): Promise<Credentials> {
  const { sessionToken, expiration } = await stepFunctions.config.credentials();
  const isExported = process.env.AWS_PROFILE === undefined && process.env.AWS_ACCESS_KEY_ID !== undefined;
  return {
    isTemporary: sessionToken !== undefined,
    isRenewed: !isExported && expiration !== undefined,
    expiresAt: expiration,
  };
}

// Systems Manager: deployed documents, and commands of our own on a host.

const systemsManager = new SSMClient(REPEATED_BY_SDK);

/** @returns `Active`, `Creating`, `Failed`…; undefined when there is no such document */
export async function documentStatus(name: string): Promise<string | undefined> {
  const described = systemsManager.send(new DescribeDocumentCommand({ Name: name }));
  const answer = await withExpectedErrors(described, { InvalidDocument: undefined });
  return answer?.Document?.Status;
}

/** Runs a shell script on a host by AWS's own document. @returns the id of the command */
export async function sendShellScript(instanceId: string, script: string): Promise<string> {
  const { Command } = await systemsManager.send(
    new SendCommandCommand({
      InstanceIds: [instanceId],
      DocumentName: 'AWS-RunShellScript',
      Parameters: { commands: [script] },
    }),
  );
  return answered(Command?.CommandId, 'SendCommand.CommandId');
}

export interface ScriptResult {
  /** `Pending`, `InProgress`, `Success`, `Failed`… */
  readonly status: string;
  readonly standardOutput: string;
  readonly standardError: string;
}

export async function scriptResult(commandId: string, instanceId: string): Promise<ScriptResult> {
  const asked = systemsManager.send(new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: instanceId }));
  // Systems Manager does not know the invocation in the first moments after the command was sent.
  const answer = await withExpectedErrors(asked, { InvocationDoesNotExist: undefined });
  return {
    status: answer?.Status ?? 'Pending',
    standardOutput: answer?.StandardOutputContent ?? '',
    standardError: answer?.StandardErrorContent ?? '',
  };
}

export interface HostCommand {
  readonly document: string;
  /** `Success`, `Failed`, `Cancelled`… */
  readonly status: string;
  /** What it printed, as far as Systems Manager shows it. */
  readonly output: string;
}

export async function commandsOn(instanceId: string): Promise<HostCommand[]> {
  const pages = paginateListCommandInvocations({ client: systemsManager }, { InstanceId: instanceId, Details: true });
  const invocations = await allOf(pages, (page) => page.CommandInvocations);
  return invocations.map(({ DocumentName, Status, CommandPlugins = [] }) => ({
    document: answered(DocumentName, 'ListCommandInvocations.DocumentName'),
    status: answered(Status, 'ListCommandInvocations.Status'),
    output: CommandPlugins.map(({ Output }) => Output ?? '').join('\n'),
  }));
}

// EC2: what hosts and networks have been given.

const ec2 = new EC2Client(REPEATED_BY_SDK);

/** How long each interface of a host remembers a silent TCP connection, in seconds; undefined is EC2's default. */
export async function connectionTrackingSeconds(instanceId: string): Promise<(number | undefined)[]> {
  const { NetworkInterfaces = [] } = await ec2.send(
    new DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'attachment.instance-id', Values: [instanceId] }] }),
  );
  return NetworkInterfaces.map((each) => each.ConnectionTrackingConfiguration?.TcpEstablishedTimeout);
}

/** The state and both address ranges of a peering connection; undefined when there is none of that id. */
export async function describePeering(id: string): Promise<{ status: string; ranges: string[] } | undefined> {
  const request = { Filters: [{ Name: 'vpc-peering-connection-id', Values: [id] }] };
  const pages = paginateDescribeVpcPeeringConnections({ client: ec2 }, request);
  const [found] = await allOf(pages, (page) => page.VpcPeeringConnections);
  if (found === undefined) return undefined;
  const ranges = [found.RequesterVpcInfo?.CidrBlock ?? '', found.AccepterVpcInfo?.CidrBlock ?? ''];
  return { status: found.Status?.Code ?? '', ranges };
}

// Elastic Load Balancing: what a pair's load balancer has been given, and whether its targets are healthy.

const elb = new ElasticLoadBalancingV2Client(REPEATED_BY_SDK);
const IDLE_TIMEOUT = 'tcp.idle_timeout.seconds';

export interface BalancerState {
  readonly state: string;
  readonly scheme: string;
  readonly securityGroupCount: number;
}

export async function balancerState(arn: string): Promise<BalancerState> {
  const { LoadBalancers } = await elb.send(new DescribeLoadBalancersCommand({ LoadBalancerArns: [arn] }));
  const found = answered(LoadBalancers?.[0], `DescribeLoadBalancers ${arn}`);
  return {
    state: found.State?.Code ?? '',
    scheme: found.Scheme ?? '',
    securityGroupCount: found.SecurityGroups?.length ?? 0,
  };
}

export interface BalancerListener {
  readonly arn: string;
  /** `TCP`, `TCP_UDP` */
  readonly protocol: string;
}

export async function balancerListeners(arn: string): Promise<BalancerListener[]> {
  const listeners = await allOf(
    paginateDescribeListeners({ client: elb }, { LoadBalancerArn: arn }),
    (page) => page.Listeners,
  );
  return listeners.map(({ ListenerArn, Protocol }) => ({
    arn: answered(ListenerArn, 'DescribeListeners.ListenerArn'),
    protocol: answered(Protocol, 'DescribeListeners.Protocol'),
  }));
}

/** `healthy`, `initial`, `unhealthy`… of each target of a group. */
export async function healthOfTargets(targetGroupArn: string): Promise<string[]> {
  const { TargetHealthDescriptions = [] } = await elb.send(
    new DescribeTargetHealthCommand({ TargetGroupArn: targetGroupArn }),
  );
  return TargetHealthDescriptions.map(({ TargetHealth }) => TargetHealth?.State ?? 'unknown');
}

/** @returns the idle time-out in seconds; undefined where the listener has none that can be set */
export async function idleTimeoutSeconds(listenerArn: string): Promise<number | undefined> {
  const { Attributes = [] } = await elb.send(new DescribeListenerAttributesCommand({ ListenerArn: listenerArn }));
  const value = Attributes.find(({ Key }) => Key === IDLE_TIMEOUT)?.Value;
  return value === undefined ? undefined : Number(value);
}

export async function requestIdleTimeout(listenerArn: string, seconds: number): Promise<void> {
  const Attributes = [{ Key: IDLE_TIMEOUT, Value: String(seconds) }];
  await elb.send(new ModifyListenerAttributesCommand({ ListenerArn: listenerArn, Attributes }));
}

// Athena: the saved queries of a workgroup.

const athena = new AthenaClient(REPEATED_BY_SDK);

export interface NamedQuery {
  readonly name: string;
  readonly sql: string;
}

export async function namedQueries(workGroup: string): Promise<NamedQuery[]> {
  const ids = await allOf(
    paginateListNamedQueries({ client: athena }, { WorkGroup: workGroup }),
    (page) => page.NamedQueryIds,
  );
  const queries: NamedQuery[] = [];
  for (const NamedQueryId of ids) {
    const { NamedQuery } = await athena.send(new GetNamedQueryCommand({ NamedQueryId }));
    const { Name, QueryString } = answered(NamedQuery, `GetNamedQuery ${NamedQueryId}`);
    queries.push({
      name: answered(Name, 'GetNamedQuery.Name'),
      sql: answered(QueryString, 'GetNamedQuery.QueryString'),
    });
  }
  return queries;
}
