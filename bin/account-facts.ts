/** Takes the facts of an account from a file with AWS's own answers, to check plans without asking AWS. */
import type { Image, InstanceTypeInfo, Subnet as DescribedSubnet } from '@aws-sdk/client-ec2';
import type { HostFacts } from '../domain/plan/offer';
import type { UserTags } from '../domain/workflow/user-tags';
import { instanceTypeOf, namedImageOf, namedSubnetOf, subnetOf } from '../lambdas/adapters/ec2-answers';
import type { FactSources } from '../lambdas/plan-run/decide-plan';

export interface AccountFacts {
  readonly region: string;
  /** From DescribeInstanceTypes: all types that exist. */
  readonly instanceTypes: readonly InstanceTypeInfo[];
  /** The allowed types in words, e.g. `one of the types that … lists`. */
  readonly typesInWords?: string;
  /** From DescribeInstanceTypeOfferings, by availability zone. */
  readonly instanceTypeOfferings: readonly { readonly InstanceType: string; readonly Location: string }[];
  /** From DescribeSubnets: `SubnetId`, `VpcId`, `AvailabilityZone`, `AvailabilityZoneId`. */
  readonly stackSubnets: readonly DescribedSubnet[];
  readonly peeredSubnets: readonly DescribedSubnet[];
  /** The subnets that a plan may name, also with `State` and `AvailableIpAddressCount`. */
  readonly subnets: readonly DescribedSubnet[];
  readonly images: readonly Image[];
  /** SSM parameters by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** vCPUs by quota code. */
  readonly vcpuQuotas: Readonly<Record<string, number>>;
  readonly runIds: readonly string[];
  readonly deployed: Pick<HostFacts, 'hostVpcs' | 'hasPublicAddresses' | 'imageParameters'>;
  readonly deploymentTags: UserTags;
  /** Settings to deploy the stack with, by their keys. */
  readonly context?: Readonly<Record<string, string>>;
}

const idsOf = (subnets: readonly DescribedSubnet[]) => subnets.map(({ SubnetId = '' }) => SubnetId);

export function sourcesOf(facts: AccountFacts): FactSources {
  const ofStack = [...facts.stackSubnets, ...facts.peeredSubnets];
  return {
    subnetIds: idsOf(facts.stackSubnets),
    peeredSubnetIds: idsOf(facts.peeredSubnets),
    deployed: facts.deployed,
    limits: {},
    typesInWords: facts.typesInWords,
    ec2Region: () => Promise.resolve(facts.region),
    describeSubnets: (ids) =>
      Promise.resolve(
        ids.map((id) =>
          subnetOf(
            id,
            ofStack.find(({ SubnetId }) => SubnetId === id),
          ),
        ),
      ),
    describeInstanceTypes: (names) =>
      Promise.resolve(facts.instanceTypes.map(instanceTypeOf).filter((type) => names.includes(type.instanceType))),
    describeTypeNames: () => Promise.resolve(facts.instanceTypes.map(({ InstanceType = '' }) => InstanceType)),
    describeZoneOfferings: (names, zones) =>
      Promise.resolve(
        facts.instanceTypeOfferings
          .filter(({ InstanceType, Location }) => names.includes(InstanceType) && zones.includes(Location))
          .map(({ InstanceType, Location }) => ({ instanceType: InstanceType, zone: Location })),
      ),
    findSubnets: (ids) =>
      Promise.resolve(facts.subnets.map(namedSubnetOf).filter(({ subnetId }) => ids.includes(subnetId))),
    // As without an account, it is unknown whether a subnet has a way out.
    findPrivateWaysOut: () => Promise.resolve(new Map()),
    findImages: (ids) => Promise.resolve(facts.images.map(namedImageOf).filter(({ imageId }) => ids.includes(imageId))),
    findParameter: (name) => Promise.resolve(facts.parameters[name]),
    // The account is on no free plan, and nothing runs in it.
    findFreePlanTypes: () => Promise.resolve(undefined),
    describeVcpusInUse: () => Promise.resolve([]),
    getEc2Quota: (code) => {
      const vcpus = facts.vcpuQuotas[code];
      return vcpus === undefined
        ? Promise.reject(new Error(`the given facts have no quota ${code}`))
        : Promise.resolve(vcpus);
    },
    // Earlier runs only make the forecast more precise, and never refuse a plan.
    runQuery: () => Promise.resolve([]),
    store: { hasPlan: (runId) => Promise.resolve(facts.runIds.includes(runId)) },
  };
}
