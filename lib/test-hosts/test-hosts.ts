import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fn, Stack } from 'aws-cdk-lib';
import { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import { type IRole, CfnInstanceProfile, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { hostPrograms } from '../../domain/tools/commands';
import { PAYLOAD_PREFIX, RAW_PREFIX } from '../../domain/workflow/object-keys';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { UserTags } from '../../domain/workflow/user-tags';
import { GrantedRole } from '../grants';

export interface TestHostsProps {
  readonly bucket: IBucket;
  /** Contains the objects that hosts transfer to measure S3. */
  readonly payloadBucket: IBucket;
  readonly tags: UserTags;
}

/** The line in the script that is replaced by the programs and packages of the tools. */
const TOOL_PROGRAMS = 'readonly TOOL_PROGRAMS=()';

/**
 * What all hosts share: their launch template and their role. launch-pair adds the image, type, disk, subnet, network
 * interface, CPU credits and tags of each host. The template has no network interface, because the interface in the
 * launch call would replace it as a whole.
 */
export class TestHosts extends Construct {
  readonly role: IRole;
  /** The `aws:userid` of a host begins with this id. */
  readonly roleId: string;
  readonly launchTemplate: CfnLaunchTemplate;

  constructor(scope: Construct, id: string, props: TestHostsProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const userTags = Object.entries(props.tags).map(([key, value]) => ({ key, value }));
    const role = this.hostRole(props.bucket, props.payloadBucket);
    this.role = role;
    this.roleId = role.roleId;
    const instanceProfile = new CfnInstanceProfile(this, 'InstanceProfile', { roles: [role.roleName] });

    this.launchTemplate = new CfnLaunchTemplate(this, 'LaunchTemplate', {
      launchTemplateData: {
        iamInstanceProfile: { arn: instanceProfile.attrArn },
        // A host shuts itself down at its deadline, and must then be terminated and not only stopped.
        instanceInitiatedShutdownBehavior: 'terminate',
        metadataOptions: {
          httpEndpoint: 'enabled',
          httpTokens: 'required',
          httpPutResponseHopLimit: 1,
          // The host reads its own deadline from its tags.
          instanceMetadataTags: 'enabled',
        },
        userData: Fn.base64(userData()),
      },
      tagSpecifications: [
        // The CDK adds no tags here by itself.
        { resourceType: 'launch-template', tags: [...userTags, { key: ResourceTag.stack, value: stack.stackName }] },
      ],
    });
  }

  /** The role does without `AmazonSSMManagedInstanceCore`, which lets a host read every parameter of the account. */
  private hostRole(bucket: IBucket, payloadBucket: IBucket): GrantedRole {
    return new GrantedRole(this, 'HostRole', {
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      description:
        'Lets a host of network-benchmark exchange messages with Systems Manager and upload its own raw streams',
      grants: [
        {
          actions: [
            'ssm:UpdateInstanceInformation',
            'ssmmessages:CreateControlChannel',
            'ssmmessages:OpenControlChannel',
            'ssmmessages:CreateDataChannel',
            'ssmmessages:OpenDataChannel',
            // Agents older than 3.3.40.0 fetch their commands with the following calls.
            'ec2messages:AcknowledgeMessage',
            'ec2messages:DeleteMessage',
            'ec2messages:FailMessage',
            'ec2messages:GetEndpoint',
            'ec2messages:GetMessages',
            'ec2messages:SendReply',
          ],
          resources: ['*'],
          wildcardReason: 'the calls of the SSM agent accept no resource (Systems Manager User Guide)',
        },
        {
          actions: ['s3:PutObject'],
          // The variable is `<role id>:<instance id>`, so a host can write only below its own prefix.
          resources: [bucket.arnForObjects(`${RAW_PREFIX}\${aws:userid}/*`)],
          wildcardReason:
            "the variable limits the grant to the host's own prefix; the keys contain ids of runs and chunks",
          keyArn: bucket.encryptionKey?.keyArn,
        },
        {
          actions: ['s3:GetObject', 's3:PutObject'],
          resources: [payloadBucket.arnForObjects(`${PAYLOAD_PREFIX}\${aws:userid}/*`)],
          wildcardReason:
            "the variable limits the grant to the host's own prefix; the keys contain ids of measurements",
        },
      ],
    });
  }
}

function userData(): string {
  const script = readFileSync(join(__dirname, 'user-data.sh'), 'utf8');
  if (!script.includes(TOOL_PROGRAMS)) throw new Error(`user-data.sh: must contain the line ${TOOL_PROGRAMS}`);
  const programs = hostPrograms().map(({ program, debianPackage }) => `${program}=${debianPackage}`);
  return script.replace(TOOL_PROGRAMS, `readonly TOOL_PROGRAMS=(${programs.join(' ')})`);
}
