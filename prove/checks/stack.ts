/** Checks of the deployed stack itself; they launch nothing. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../lambdas/shared/error-text';
import { DOCUMENT_NAMES } from '../../lib/measurement-documents/build-document';
import type { Check } from '../check';

const QUERY_FILES = readdirSync(join(__dirname, '../../queries')).filter((name) => name.endsWith('.sql'));
/** Athena bills at least 10 MB a query, at 5 USD per TB; rounded up. */
const QUERY_USD = 0.0001;
const QUERY_SECONDS = 120;

export const stackChecks: Check[] = [
  {
    id: 'documents',
    title: 'AWS accepts the template and every document',
    matters:
      "CloudFormation checks property names, Step Functions the definitions, and Systems Manager the documents' " +
      'patterns and `interpolationType` only when they are deployed.',
    provenBy:
      'The stack is `CREATE_COMPLETE` or `UPDATE_COMPLETE`, and each document of `ssm-documents/` is a resource of ' +
      'it and `Active`.',
    ownUsd: 0,
    ownMinutes: 1,
    byHand:
      'for document in $(resource AWS::SSM::Document); do\n' +
      '  aws ssm describe-document --name "$document" ' +
      "--query 'Document.[Name,Status,DefaultVersion,LatestVersion]' --output text\ndone",
    look: async ({ account, stack }) => {
      const call = `cloudformation DescribeStacks, ListStackResources ${stack.name}; ssm DescribeDocument of each document`;
      const resources = await account.listStackResources(stack.name);
      const deployed = resources.filter(({ type }) => type === 'AWS::SSM::Document').map((each) => each.physicalId);
      const missing = DOCUMENT_NAMES.filter((name) => !deployed.includes(`${stack.name}-${name}`));
      const states = await Promise.all(
        deployed.map(async (name) => ({ name, status: (await account.documentStatus(name)) ?? 'does not exist' })),
      );
      const inactive = states.filter(({ status }) => status !== 'Active');
      const problems = [
        ...(['CREATE_COMPLETE', 'UPDATE_COMPLETE'].includes(stack.status) ? [] : [`stack is ${stack.status}`]),
        ...missing.map((name) => `document ${stack.name}-${name} is no resource of the stack`),
        ...inactive.map(({ name, status }) => `document ${name}: ${status}`),
      ];
      const proven = problems.length === 0;
      const good = `stack ${stack.status}, ${deployed.length} documents Active`;
      return { proven, call, evidence: proven ? good : problems.join('; ') };
    },
  },
  {
    id: 'queries-run',
    title: 'Athena runs the named queries',
    matters:
      '`npm run test:athena` shows that Trino runs them, and what they return. Athena itself remains: its workgroup, its ' +
      'permission to read the bucket, and its limits.',
    provenBy: 'The workgroup has a saved query for each file of `queries/`, and each ends as `SUCCEEDED`.',
    ownUsd: QUERY_FILES.length * QUERY_USD,
    ownMinutes: 2,
    byHand: [
      'for id in $(aws athena list-named-queries --work-group "$(out WorkgroupName)" --query NamedQueryIds --output text); do',
      '  sql=$(aws athena get-named-query --named-query-id "$id" --query NamedQuery.QueryString --output text)',
      '  run=$(aws athena start-query-execution --work-group "$(out WorkgroupName)" --query-string "$sql" \\',
      '    --query-execution-context "Database=$(out DatabaseName)" --query QueryExecutionId --output text)',
      '  sleep 8; aws athena get-query-execution --query-execution-id "$run" --query QueryExecution.Status.State --output text',
      'done',
    ].join('\n'),
    look: async ({ account, stack }) => {
      const queries = await account.namedQueries(stack.workgroup);
      const rowCounts: number[] = [];
      for (const { name, sql } of queries) {
        const query = { sql, database: stack.database, workGroup: stack.workgroup, deadlineSeconds: QUERY_SECONDS };
        const rows = await account.runAthenaQuery(query).catch((thrown: unknown) => {
          throw new Error(`${name}: ${errorText(thrown)}`);
        });
        rowCounts.push(rows.length);
      }
      return {
        proven: queries.length === QUERY_FILES.length,
        call: `athena StartQueryExecution in the workgroup ${stack.workgroup}`,
        evidence: `${queries.length} of ${QUERY_FILES.length} queries SUCCEEDED, with ${rowCounts.join(', ')} rows`,
      };
    },
  },
  {
    id: 'peering-is-active',
    title: 'The peered network is connected',
    matters: 'The request is accepted at its creation only where both networks are of one account and Region.',
    provenBy: 'The peering connection of the stack is `active`, between 10.0.0.0/16 and 10.1.0.0/16.',
    ownUsd: 0,
    ownMinutes: 1,
    // Only a stack with the context `peering=true` has one.
    isOptional: true,
    byHand:
      'aws ec2 describe-vpc-peering-connections ' +
      "--query 'VpcPeeringConnections[].[Status.Code,RequesterVpcInfo.CidrBlock,AccepterVpcInfo.CidrBlock]' --output text",
    look: async ({ account, stack }) => {
      const resources = await account.listStackResources(stack.name);
      const id = resources.find(({ type }) => type === 'AWS::EC2::VPCPeeringConnection')?.physicalId;
      const call = `ec2 DescribeVpcPeeringConnections ${id ?? ''}`;
      if (id === undefined) return { proven: false, call, evidence: 'the stack has none: deploy it with peering=true' };
      const peering = await account.describePeering(id);
      const evidence = peering === undefined ? 'does not exist' : [peering.status, ...peering.ranges].join(' ');
      return { proven: evidence === 'active 10.0.0.0/16 10.1.0.0/16', call, evidence };
    },
  },
];
