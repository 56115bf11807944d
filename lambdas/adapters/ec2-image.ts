/** EC2's description of an image, as far as plans are concerned with it. */
import type { Image } from '@aws-sdk/client-ec2';
import type { NamedImage } from '../../domain/plan/offer';
import { answered } from './answers';

export function namedImageOf(image: Image): NamedImage {
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
