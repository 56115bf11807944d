import { App, Fn, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Grant, GrantedRole } from '../../lib/grants';

function stackWithRole(grant: Grant): Stack {
  const stack = new Stack(new App(), 'Bench');
  new GrantedRole(stack, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    description: 'A role of a test',
    grants: [grant],
  });
  return stack;
}

test('a role has its grants inline, each with its condition', () => {
  const conditions = { StringEquals: { 'aws:ResourceTag/owner': 'me' } };
  const stack = stackWithRole({
    actions: ['ec2:TerminateInstances'],
    resources: ['arn:aws:ec2:eu-west-1:123456789012:instance/i-1'],
    conditions,
  });
  Template.fromStack(stack).hasResourceProperties('AWS::IAM::Role', {
    Policies: [
      {
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Allow',
              Action: 'ec2:TerminateInstances',
              Resource: 'arn:aws:ec2:eu-west-1:123456789012:instance/i-1',
              Condition: conditions,
            },
          ],
        },
      },
    ],
  });
});

test('fails on a wildcard without a reason, also inside a reference', () => {
  const resources = [Fn.join('', ['arn:bucket:', Fn.ref('Name'), '/*'])];
  expect(() => stackWithRole({ actions: ['s3:GetObject'], resources })).toThrow(
    'Bench/Role: grant of s3:GetObject on arn:bucket:<Name>/*: must give the reason for the wildcard',
  );
  expect(() =>
    stackWithRole({ actions: ['s3:GetObject'], resources, wildcardReason: 'the keys contain ids' }),
  ).not.toThrow();
});

test('fails on a resource that cdk-nag cannot name', () => {
  const resources = [Fn.importValue('Other')];
  expect(() => stackWithRole({ actions: ['s3:GetObject'], resources })).toThrow(
    'resource of a grant: must be a string, Ref, Fn::GetAtt or Fn::Join, got {"Fn::ImportValue":"Other"}',
  );
});
