/** Checks of the deployed stack itself; they launch nothing. */
import { DOCUMENT_NAMES } from '../../../lib/measurement-documents/measurement-documents';
import type { Check } from '../check';

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
    id: 'peering-is-active',
    title: 'The peered network is connected',
    matters: 'The request is accepted at its creation only where both networks are of one account and Region.',
    provenBy: 'The peering connection of the stack is `active`, between 10.0.0.0/16 and 10.1.0.0/16.',
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
