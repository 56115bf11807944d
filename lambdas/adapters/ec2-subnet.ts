/** EC2's description of a subnet, as far as plans are concerned with it. */
import type { Subnet as DescribedSubnet } from '@aws-sdk/client-ec2';
import type { Subnet } from '../../domain/model/planned-run';
import type { NamedSubnet } from '../../domain/plan/offer';
import { answered } from './answers';

/** @param described what EC2 answered for this id, if anything */
export function subnetOf(subnetId: string, described: DescribedSubnet | undefined): Subnet {
  return {
    subnetId,
    zone: answered(described?.AvailabilityZone, `AvailabilityZone of subnet ${subnetId}`),
    zoneId: answered(described?.AvailabilityZoneId, `AvailabilityZoneId of subnet ${subnetId}`),
    vpcId: answered(described?.VpcId, `VpcId of subnet ${subnetId}`),
  };
}

/** Of a subnet that a plan names. */
export function namedSubnetOf(described: DescribedSubnet): NamedSubnet {
  const subnetId = answered(described.SubnetId, 'DescribeSubnets.SubnetId');
  return {
    ...subnetOf(subnetId, described),
    state: answered(described.State, `State of subnet ${subnetId}`),
    availableAddressCount: answered(described.AvailableIpAddressCount, `AvailableIpAddressCount of subnet ${subnetId}`),
  };
}
