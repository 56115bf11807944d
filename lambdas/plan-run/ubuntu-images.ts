/** The AMI of each architecture in use, resolved once for a run, so that all its pairs boot the same system. */
import type { InstanceTypeFacts } from '../../domain/model/instance-type';

type Architecture = InstanceTypeFacts['architecture'];

/** Debian's words, which Canonical's public parameters use. */
const DEBIAN_ARCHITECTURE: Readonly<Record<Architecture, string>> = { x86_64: 'amd64', arm64: 'arm64' };

export function ubuntuImageParameter(architecture: Architecture): string {
  const word = DEBIAN_ARCHITECTURE[architecture];
  return `/aws/service/canonical/ubuntu/server/24.04/stable/current/${word}/hvm/ebs-gp3/ami-id`;
}

export async function resolveImages(
  architectures: ReadonlySet<Architecture>,
  getParameter: (name: string) => Promise<string>,
): Promise<Partial<Record<Architecture, string>>> {
  const images: Partial<Record<Architecture, string>> = {};
  for (const architecture of architectures) {
    images[architecture] = await getParameter(ubuntuImageParameter(architecture));
  }
  return images;
}
