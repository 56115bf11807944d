/** EC2: the subnets and images that a plan names. Unknown ids are left out, so that one does not hide the others. */
import { DescribeSubnetsCommand, EC2Client, paginateDescribeImages, type Image } from '@aws-sdk/client-ec2';
import type { NamedImage, NamedSubnet } from '../../domain/plan/offer';
import { allOf, answered, batches, FILTER_VALUES } from './answers';
import { subnetOf } from './ec2-subnet';
import { REPEATED_BY_SDK } from './retries';

const client = new EC2Client(REPEATED_BY_SDK);

/** Asks with a filter; the parameter `SubnetIds` would refuse the whole call for one unknown id. */
export async function findSubnets(subnetIds: readonly string[]): Promise<NamedSubnet[]> {
  const found: NamedSubnet[] = [];
  for (const values of batches(subnetIds, FILTER_VALUES)) {
    const filters = [{ Name: 'subnet-id', Values: values }];
    const { Subnets } = await client.send(new DescribeSubnetsCommand({ Filters: filters }));
    for (const subnet of Subnets ?? []) {
      const subnetId = answered(subnet.SubnetId, 'DescribeSubnets.SubnetId');
      found.push({
        ...subnetOf(subnetId, subnet),
        state: answered(subnet.State, `State of subnet ${subnetId}`),
        availableAddressCount: answered(
          subnet.AvailableIpAddressCount,
          `AvailableIpAddressCount of subnet ${subnetId}`,
        ),
      });
    }
  }
  return found;
}

/** Also deprecated images, which can be launched for as long as their owner keeps them. */
export async function findImages(imageIds: readonly string[]): Promise<NamedImage[]> {
  const found: Image[][] = [];
  for (const values of batches(imageIds, FILTER_VALUES)) {
    const request = { Filters: [{ Name: 'image-id', Values: values }], IncludeDeprecated: true };
    found.push(await allOf(paginateDescribeImages({ client }, request), (page) => page.Images));
  }
  return found.flat().map(namedImage);
}

function namedImage(image: Image): NamedImage {
  const imageId = answered(image.ImageId, 'DescribeImages.ImageId');
  const rootDeviceName = answered(image.RootDeviceName, `RootDeviceName of image ${imageId}`);
  const root = image.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === rootDeviceName);
  return {
    imageId,
    name: image.Name ?? imageId,
    architecture: answered(image.Architecture, `Architecture of image ${imageId}`),
    state: answered(image.State, `State of image ${imageId}`),
    // EC2 gives a platform for Windows alone.
    isWindows: image.Platform !== undefined,
    rootDeviceName,
    rootVolumeGibibytes: root?.Ebs?.VolumeSize,
  };
}

/** The Region in which this account is asked. */
export const ec2Region = (): Promise<string> => client.config.region();
