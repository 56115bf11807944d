/** EC2: the subnets and images that a plan names. Unknown ids are left out, so that one does not hide the others. */
import { DescribeSubnetsCommand, EC2Client, paginateDescribeImages, type Image } from '@aws-sdk/client-ec2';
import type { NamedImage, NamedSubnet } from '../../domain/plan/offer';
import { allOf, batches, FILTER_VALUES } from './answers';
import { namedImageOf } from './ec2-image';
import { namedSubnetOf } from './ec2-subnet';
import { REPEATED_BY_SDK } from './retries';

const client = new EC2Client(REPEATED_BY_SDK);

/** Asks with a filter; the parameter `SubnetIds` would refuse the whole call for one unknown id. */
export async function findSubnets(subnetIds: readonly string[]): Promise<NamedSubnet[]> {
  const found: NamedSubnet[][] = [];
  for (const values of batches(subnetIds, FILTER_VALUES)) {
    const filters = [{ Name: 'subnet-id', Values: values }];
    const { Subnets } = await client.send(new DescribeSubnetsCommand({ Filters: filters }));
    found.push((Subnets ?? []).map(namedSubnetOf));
  }
  return found.flat();
}

/** Also deprecated images, which can be launched for as long as their owner keeps them. */
export async function findImages(imageIds: readonly string[]): Promise<NamedImage[]> {
  const found: Image[][] = [];
  for (const values of batches(imageIds, FILTER_VALUES)) {
    const request = { Filters: [{ Name: 'image-id', Values: values }], IncludeDeprecated: true };
    found.push(await allOf(paginateDescribeImages({ client }, request), (page) => page.Images));
  }
  return found.flat().map(namedImageOf);
}

/** The Region in which this account is asked. */
export const ec2Region = (): Promise<string> => client.config.region();
