/** Reads and checks everything that can be set with `cdk deploy --context key=value`. */
import type { Node } from 'constructs';
import { readCanaryPlan, type CanaryPlan } from './canary-plan';

export interface DeploymentContext {
  /** @default the stack creates its own network */
  readonly existingNetwork?: ExistingNetwork;
  readonly zoneCount: number;
  readonly keepsResults: boolean;
  /** Whether the stack has a second network, peered with the first, for the path `peering`. */
  readonly hasPeering: boolean;
  /** @default no run is started on a schedule */
  readonly canary?: CanaryPlan;
}

export interface ExistingNetwork {
  readonly vpcId: string;
  /** Public subnets, one per zone, in the order of `availabilityZones`. */
  readonly subnetIds: readonly string[];
  readonly availabilityZones: readonly string[];
}

const DEFAULT_ZONE_COUNT = 3;
/** No Region has more zones than us-east-1. */
const MAX_ZONE_COUNT = 6;
const REMOVAL_POLICIES = ['retain', 'destroy'];

export function readContext(node: Node): DeploymentContext {
  const removalPolicy: unknown = node.tryGetContext('removalPolicy') ?? 'retain';
  if (typeof removalPolicy !== 'string' || !REMOVAL_POLICIES.includes(removalPolicy)) {
    throw new Error(
      `context removalPolicy: must be one of ${REMOVAL_POLICIES.join(', ')}, got ${JSON.stringify(removalPolicy)}`,
    );
  }
  const existingNetwork = readExistingNetwork(node);
  const hasPeering = readFlag(node, 'peering');
  if (hasPeering && existingNetwork !== undefined) {
    throw new Error(
      'context peering: must be false together with vpcId, ' +
        "because only the stack's own networks can be peered, got true",
    );
  }
  return {
    existingNetwork,
    zoneCount: readZoneCount(node),
    keepsResults: removalPolicy === 'retain',
    hasPeering,
    canary: readCanaryPlan(node),
  };
}

/** A flag is a boolean in cdk.json, and the word `true` or `false` on the command line. */
function readFlag(node: Node, key: string): boolean {
  const given: unknown = node.tryGetContext(key) ?? false;
  if (given === true || given === 'true') return true;
  if (given === false || given === 'false') return false;
  throw new Error(`context ${key}: must be true or false, got ${JSON.stringify(given)}`);
}

function readZoneCount(node: Node): number {
  const given: unknown = node.tryGetContext('zones') ?? DEFAULT_ZONE_COUNT;
  const zoneCount = Number(given);
  if (!Number.isInteger(zoneCount) || zoneCount < 1 || zoneCount > MAX_ZONE_COUNT) {
    throw new Error(`context zones: must be a whole number from 1 to ${MAX_ZONE_COUNT}, got ${JSON.stringify(given)}`);
  }
  return zoneCount;
}

function readExistingNetwork(node: Node): ExistingNetwork | undefined {
  const vpcId: unknown = node.tryGetContext('vpcId');
  const subnetIds = readList(node, 'subnetIds');
  const availabilityZones = readList(node, 'availabilityZones');
  if (vpcId === undefined && subnetIds.length === 0 && availabilityZones.length === 0) return undefined;
  if (typeof vpcId !== 'string' || !/^vpc-[0-9a-f]+$/.test(vpcId)) {
    throw new Error(
      'context vpcId: must be the id of a VPC when subnetIds or availabilityZones are given, ' +
        `got ${JSON.stringify(vpcId)}`,
    );
  }
  if (subnetIds.length === 0 || subnetIds.length !== availabilityZones.length) {
    throw new Error(
      'context subnetIds: must list one public subnet per entry of availabilityZones, ' +
        `got ${subnetIds.length} subnet(s) for ${availabilityZones.length} zone(s)`,
    );
  }
  return { vpcId, subnetIds, availabilityZones };
}

/** A list is an array in cdk.json, and separated by commas on the command line. */
function readList(node: Node, key: string): string[] {
  const given: unknown = node.tryGetContext(key) ?? [];
  const list: unknown[] =
    typeof given === 'string' ? given.split(',').map((item) => item.trim()) : Array.isArray(given) ? given : [given];
  if (list.some((item) => typeof item !== 'string' || item === '')) {
    throw new Error(`context ${key}: must be a list of names, got ${JSON.stringify(given)}`);
  }
  return list as string[];
}
