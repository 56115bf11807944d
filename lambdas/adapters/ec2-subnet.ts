/** EC2's description of a subnet, as far as plans are concerned with it. */
import type { Subnet as DescribedSubnet } from '@aws-sdk/client-ec2';
import type { Subnet } from '../../domain/model/planned-run';
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
