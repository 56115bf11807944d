/**
 * The rule on IAM: a role allows exactly what its state machine or handler calls, and what those calls imply. On which
 * resources and under which conditions, a policy simulator judges in test/permissions.
 */
import { handlerCalls, handlerNames } from '../support/handler-calls';
import {
  allStates,
  definition,
  flatten,
  MACHINES,
  type Machine,
  resource,
  resourcesOf,
  synthesiseWith,
} from '../support/synth';
import { IMPLIED_PERMISSIONS } from './implied-permissions';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** The statements of a role, including those of the policies that are attached to it. */
function statementsOf(roleId: string): Statement[] {
  const inline = (resourcesOf('AWS::IAM::Role')[roleId]!.Properties.Policies ?? []) as {
    PolicyDocument: { Statement: Statement[] };
  }[];
  const attached = Object.values(resourcesOf('AWS::IAM::Policy'))
    .map(({ Properties }) => Properties as { Roles: unknown[]; PolicyDocument: { Statement: Statement[] } })
    .filter(({ Roles }) => Roles.map(flatten).includes(`<${roleId}>`));
  return [...inline, ...attached].flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

function actionsOf(statements: readonly Statement[]): string[] {
  return [...new Set(statements.flatMap(({ Action }) => Action))].sort();
}

function roleIdOf(value: unknown): string {
  return flatten(value).replace(/^<(\w+)\.Arn>$/, '$1');
}

/** The calls that the states of a machine make, read from the ARN of each state's resource. */
function machineCalls(machine: Machine): string[] {
  const calls = Object.values(allStates(definition(machine))).flatMap(({ Resource }) => {
    if (Resource === undefined) return [];
    if (Resource.endsWith(':::lambda:invoke')) return ['lambda:InvokeFunction'];
    if (Resource.endsWith(':::states:startExecution.sync:2'))
      return ['states:StartExecution', 'states:startExecution.sync:2'];
    const match = /:::aws-sdk:(\w+):(\w)(\w+)$/.exec(Resource);
    if (match === null)
      throw new Error(
        `resource of a state: must be a handler, a start of an execution or an SDK call, got ${Resource}`,
      );
    return [`${match[1]}:${match[2]!.toUpperCase()}${match[3]}`];
  });
  return [...new Set(calls)];
}

interface Principal {
  readonly name: string;
  readonly roleId: string;
  /**
   * The calls, and the kind of the principal, for the permissions that the kind implies (see `IMPLIED_PERMISSIONS`).
   */
  readonly calls: readonly string[];
}

/** The constructs of the handlers that do not belong to `BenchmarkFunctions`. */
const OWNERS: Readonly<Record<string, string>> = {
  'empty-buckets': 'EmptiedBuckets',
  'find-document-versions': 'MeasurementDocuments',
  'check-schedule': 'OperationsCanaryDue',
  'close-months': 'OperationsClosings',
};

async function principals(): Promise<Principal[]> {
  const machines = MACHINES.map((name) => ({
    name,
    roleId: roleIdOf(resource('AWS::StepFunctions::StateMachine', `${name}StateMachine`).Properties.RoleArn),
    calls: [...machineCalls(name), 'state machine'],
  }));
  const sources = Object.values(resourcesOf('AWS::Lambda::EventSourceMapping')).map(({ Properties }) =>
    flatten(Properties.FunctionName),
  );
  const functions = handlerNames().map(async (name) => {
    const owner = OWNERS[name] ?? 'Functions';
    const idPrefix = `${owner}${name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;
    const hasSource = sources.some((functionName) => functionName.startsWith(`<${idPrefix}`));
    const { Role, DeadLetterConfig } = resource('AWS::Lambda::Function', idPrefix).Properties;
    const kinds = ['function', hasSource ? 'event source' : [], DeadLetterConfig ? 'dead-letter queue' : []].flat();
    return { name, roleId: roleIdOf(Role), calls: [...(await handlerCalls(name)), ...kinds] };
  });
  return [...machines, ...(await Promise.all(functions))];
}

function isAction(call: string): boolean {
  return /^[a-z0-9]+:[A-Z]\w+$/.test(call);
}

function impliedBy(calls: readonly string[]): string[] {
  return IMPLIED_PERMISSIONS.filter(({ by }) => by.some((call) => calls.includes(call))).flatMap(
    ({ actions }) => actions,
  );
}

function problemsOf({ name, calls }: Principal, statements: readonly Statement[]): string[] {
  const allowed = actionsOf(statements);
  const called = calls.filter(isAction);
  const implied = impliedBy(calls);
  return [
    ...called
      .filter((action) => !allowed.includes(action))
      .map((action) => `${name} calls ${action}, which its role does not allow`),
    ...allowed
      .filter((action) => !called.includes(action) && !implied.includes(action))
      .map((action) => `${name} may ${action}, which it never calls`),
  ];
}

let allPrincipals: Principal[] = [];
beforeAll(async () => {
  synthesiseWith({ canarySchedule: 'rate(1 day)', notify: 'me@example.com' });
  allPrincipals = await principals();
});

test('every role allows what its owner calls, and nothing more', () => {
  expect(allPrincipals.length).toBe(MACHINES.length + handlerNames().length);
  for (const principal of allPrincipals) expect(principal.calls.filter(isAction).length).toBeGreaterThan(0);
  expect(allPrincipals.flatMap((principal) => problemsOf(principal, statementsOf(principal.roleId)))).toEqual([]);
});

test('a missing permission and an unused permission are found', () => {
  const sweeper = allPrincipals.find(({ name }) => name === 'sweep-orphans')!;
  const statements = statementsOf(sweeper.roleId);
  const without = statements.filter(({ Action }) => ![Action].flat().includes('ec2:TerminateInstances'));
  expect(problemsOf(sweeper, without)).toEqual([
    'sweep-orphans calls ec2:TerminateInstances, which its role does not allow',
  ]);
  const more = [...statements, { Effect: 'Allow', Action: 's3:DeleteObject', Resource: '*' }];
  expect(problemsOf(sweeper, more)).toEqual(['sweep-orphans may s3:DeleteObject, which it never calls']);
});

test('every implied permission is needed by a role and names its source', () => {
  for (const { actions, by, source } of IMPLIED_PERMISSIONS) {
    expect(source).toMatch(/^https:\/\/docs\.aws\.amazon\.com\//);
    const holders = allPrincipals.filter(({ calls }) => by.some((call) => calls.includes(call)));
    for (const action of actions) {
      const isHeld = holders.some(({ roleId }) => actionsOf(statementsOf(roleId)).includes(action));
      expect({ action, isHeld }).toEqual({ action, isHeld: true });
    }
  }
});

test('no role has a managed policy of AWS', () => {
  for (const [id, { Properties }] of Object.entries(resourcesOf('AWS::IAM::Role'))) {
    expect({ id, managed: Properties.ManagedPolicyArns }).toEqual({ id, managed: undefined });
  }
});
