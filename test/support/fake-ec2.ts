/**
 * EC2's hosts and placement groups in memory: tokens are idempotent, tags decide what a call finds, errors are EC2's.
 */
import type { TaggedHost, TaggedPlacementGroup, TaggedSecurityGroup } from '../../lambdas/adapters/ec2-hosts';
import type { RunHostReply, RunHostRequest } from '../../lambdas/adapters/ec2-launch';
import type { SecurityGroupRequest, TrafficSource } from '../../lambdas/adapters/ec2-path';
import type { Tags } from '../../lambdas/adapters/ec2-tags';

export function awsError(name: string, message = `${name} happened`): Error {
  return Object.assign(new Error(message), { name });
}

interface FakeHost extends TaggedHost {
  readonly request: RunHostRequest;
  readonly reply: RunHostReply;
}

export class FakeEc2 {
  readonly hosts: FakeHost[] = [];
  readonly requests: RunHostRequest[] = [];
  readonly placementGroups = new Map<string, { strategy: string; tags: Tags }>();
  /** By id. */
  readonly securityGroups = new Map<string, SecurityGroupRequest & { sources: TrafficSource[] }>();
  /** Whether an interface is still in a security group. */
  isGroupAttached: (securityGroupId: string) => boolean = () => false;
  /** Asked before each launch: an error to throw, or nothing. */
  refuse: (request: RunHostRequest) => Error | undefined = () => undefined;
  /** A placement group stays in use until this says otherwise. */
  isGroupEmpty: (name: string) => boolean = () => true;

  readonly runHost = async (request: RunHostRequest): Promise<RunHostReply> => {
    this.requests.push(request);
    const known = this.hosts.find((host) => host.request.clientToken === request.clientToken);
    if (known !== undefined) {
      if (JSON.stringify(known.request) !== JSON.stringify(request)) throw awsError('IdempotentParameterMismatch');
      return known.reply;
    }
    const error = this.refuse(request);
    if (error !== undefined) throw error;
    if (this.isGroupElsewhere(request)) throw awsError('InvalidPlacementGroup.InUse');
    const number = String(this.hosts.length + 1);
    const reply = {
      instanceId: `i-${number.padStart(17, '0')}`,
      zone: request.subnetId.replace('subnet-', 'eu-test-1'),
      privateIp: `10.0.0.${number}`,
    };
    this.hosts.push({ ...reply, state: 'running', tags: request.tags, request, reply });
    return reply;
  };

  /** A cluster group is in one zone for as long as there are hosts in it, those included that are being terminated. */
  private isGroupElsewhere({ placementGroupName, subnetId }: RunHostRequest): boolean {
    if (placementGroupName === undefined) return false;
    return (
      this.placementGroups.get(placementGroupName)?.strategy === 'cluster' &&
      this.hosts.some(
        ({ request }) => request.placementGroupName === placementGroupName && request.subnetId !== subnetId,
      )
    );
  }

  readonly terminateHosts = async (instanceIds: readonly string[]): Promise<void> => {
    for (const [index, host] of this.hosts.entries()) {
      if (instanceIds.includes(host.instanceId)) this.hosts[index] = { ...host, state: 'terminated' };
    }
  };

  readonly findHosts = async (tags: Tags): Promise<TaggedHost[]> =>
    this.hosts.filter((host) => host.state !== 'terminated' && hasTags(host.tags, tags));

  readonly createPlacementGroup = async (name: string, strategy: string, tags: Tags): Promise<void> => {
    this.placementGroups.set(name, { strategy, tags });
  };

  readonly findPlacementGroups = async (tags: Tags): Promise<TaggedPlacementGroup[]> =>
    [...this.placementGroups]
      .filter(([, group]) => hasTags(group.tags, tags))
      .map(([name, group]) => ({ name, tags: group.tags }));

  readonly deletePlacementGroup = async (name: string): Promise<boolean> => {
    if (!this.isGroupEmpty(name)) return false;
    this.placementGroups.delete(name);
    return true;
  };

  readonly createSecurityGroup = async (request: SecurityGroupRequest): Promise<string> => {
    const groups = [...this.securityGroups].filter(([, group]) => group.name === request.name);
    const known = groups.find(([, group]) => group.vpcId === request.vpcId);
    if (known !== undefined) return known[0];
    // The names of groups are unique in their network only.
    const groupId = `sg-of-${request.name}${groups.length === 0 ? '' : `-in-${request.vpcId}`}`;
    this.securityGroups.set(groupId, { ...request, sources: [] });
    return groupId;
  };

  readonly admitTraffic = async (groupId: string, sources: readonly TrafficSource[]): Promise<void> => {
    const group = this.securityGroups.get(groupId);
    if (group === undefined) throw awsError('InvalidGroup.NotFound');
    for (const source of sources) {
      const isKnown = group.sources.some((known) => JSON.stringify(known) === JSON.stringify(source));
      if (!isKnown) group.sources.push(source);
    }
  };

  readonly findSecurityGroups = async (tags: Tags): Promise<TaggedSecurityGroup[]> =>
    [...this.securityGroups]
      .filter(([, group]) => hasTags(group.tags, tags))
      .map(([securityGroupId, { name, tags: own }]) => ({ securityGroupId, name, tags: own, ingress: [] }));

  readonly revokeIngress = async ({ securityGroupId }: TaggedSecurityGroup): Promise<void> => {
    this.securityGroups.get(securityGroupId)?.sources.splice(0);
  };

  readonly deleteSecurityGroup = async (groupId: string): Promise<boolean> => {
    const isNamed = [...this.securityGroups].some(
      ([other, { sources }]) =>
        other !== groupId &&
        sources.some((source) => 'securityGroupId' in source && source.securityGroupId === groupId),
    );
    if (isNamed || this.isGroupAttached(groupId)) return false;
    this.securityGroups.delete(groupId);
    return true;
  };

  /** A host that somebody launched, with these tags. */
  addHost(instanceId: string, tags: Tags, state: TaggedHost['state'] = 'running'): void {
    this.hosts.push({
      instanceId,
      state,
      tags,
      request: { clientToken: instanceId } as RunHostRequest,
      reply: { instanceId, zone: 'eu-test-1a', privateIp: '10.0.0.9' },
    });
  }

  running(): string[] {
    return this.hosts.filter((host) => host.state !== 'terminated').map((host) => host.instanceId);
  }
}

function hasTags(tags: Tags, wanted: Tags): boolean {
  return Object.entries(wanted).every(([key, value]) => tags[key] === value);
}
