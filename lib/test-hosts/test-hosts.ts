import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fn, Stack } from 'aws-cdk-lib';
import { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { CfnInstanceProfile, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { hostPackages } from '../../domain/tools/commands';
import { PAYLOAD_PREFIX, RAW_PREFIX } from '../../domain/workflow/object-keys';
import { GrantedRole } from '../least-privilege';
import { ResourceTag } from '../../domain/workflow/resource-tags';

export interface TestHostsProps {
  readonly bucket: IBucket;
  /** What hosts transfer to measure S3. */
  readonly payloadBucket: IBucket;
}

const ROOT_VOLUME_GIBIBYTES = 10;
/** The line of the script that the tools' packages go into. */
const TOOL_PACKAGES = 'readonly TOOL_PACKAGES=()';

/**
 * What a host is, whatever its type and zone: its launch template and the role it runs as. Image, type, subnet, network
 * interface, CPU credits and the pair's tags are launch-pair's to say, per call: an interface given there replaces the
 * template's, so that the template has none.
 */
export class TestHosts extends Construct {
  readonly role: IRole;
  /** What `aws:userid` of a host begins with. */
  readonly roleId: string;
  readonly launchTemplate: CfnLaunchTemplate;

  constructor(scope: Construct, id: string, props: TestHostsProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const role = this.hostRole(props.bucket, props.payloadBucket);
    this.role = role;
    this.roleId = role.roleId;
    const instanceProfile = new CfnInstanceProfile(this, 'InstanceProfile', { roles: [role.roleName] });

    this.launchTemplate = new CfnLaunchTemplate(this, 'LaunchTemplate', {
      launchTemplateData: {
        iamInstanceProfile: { arn: instanceProfile.attrArn },
        // A host that shuts itself down at its deadline must be gone, not stopped.
        instanceInitiatedShutdownBehavior: 'terminate',
        metadataOptions: {
          httpEndpoint: 'enabled',
          httpTokens: 'required',
          httpPutResponseHopLimit: 1,
          // The host reads its own deadline from its tags.
          instanceMetadataTags: 'enabled',
        },
        blockDeviceMappings: [
          {
            // Canonical's images have their root there, on amd64 and arm64.
            deviceName: '/dev/sda1',
            ebs: { volumeType: 'gp3', volumeSize: ROOT_VOLUME_GIBIBYTES, encrypted: true, deleteOnTermination: true },
          },
        ],
        userData: Fn.base64(userData()),
      },
      tagSpecifications: [
        { resourceType: 'launch-template', tags: [{ key: ResourceTag.stack, value: stack.stackName }] },
      ],
    });
  }

  /** Not `AmazonSSMManagedInstanceCore`: that would let a host read every parameter of the account. */
  private hostRole(bucket: IBucket, payloadBucket: IBucket): GrantedRole {
    return new GrantedRole(this, 'HostRole', {
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      description: 'Hosts of network-benchmark: the messages of the SSM agent, and their own raw streams',
      grants: [
        {
          actions: [
            'ssm:UpdateInstanceInformation',
            'ssmmessages:CreateControlChannel',
            'ssmmessages:OpenControlChannel',
            'ssmmessages:CreateDataChannel',
            'ssmmessages:OpenDataChannel',
            // Where an agent older than 3.3.40.0 fetches its commands.
            'ec2messages:AcknowledgeMessage',
            'ec2messages:DeleteMessage',
            'ec2messages:FailMessage',
            'ec2messages:GetEndpoint',
            'ec2messages:GetMessages',
            'ec2messages:SendReply',
          ],
          resources: ['*'],
          wildcardReason: 'the messages of the SSM agent know no resources (Systems Manager User Guide)',
        },
        {
          actions: ['s3:PutObject'],
          // `<role id>:<instance id>`: each host has a prefix of its own.
          resources: [bucket.arnForObjects(`${RAW_PREFIX}\${aws:userid}/*`)],
          wildcardReason: "the prefix is the host's own, by the variable; its keys carry the ids of runs and chunks",
        },
        {
          actions: ['s3:GetObject', 's3:PutObject'],
          resources: [payloadBucket.arnForObjects(`${PAYLOAD_PREFIX}\${aws:userid}/*`)],
          wildcardReason: "the prefix is the host's own, by the variable; its keys carry the ids of measurements",
        },
      ],
    });
  }
}

/** The script beside this file, with the packages that the tools come from. */
function userData(): string {
  const script = readFileSync(join(__dirname, 'user-data.sh'), 'utf8');
  if (!script.includes(TOOL_PACKAGES)) throw new Error(`user-data.sh: must have the line ${TOOL_PACKAGES}, has none`);
  return script.replace(TOOL_PACKAGES, `readonly TOOL_PACKAGES=(${hostPackages().join(' ')})`);
}
