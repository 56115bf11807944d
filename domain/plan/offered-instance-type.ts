/** What EC2 reports about an instance type, as far as the checks of a plan need it. */
import type { InstanceTypeFacts } from '../model/instance-type';

export interface OfferedInstanceType extends Omit<InstanceTypeFacts, 'architecture'> {
  /** In EC2's terms: `x86_64`, `arm64`, `i386`, `x86_64_mac`, `arm64_mac`. */
  readonly architectures: readonly string[];
}

/** The architecture of hosts of this type; undefined when there is no image for any that the type supports. */
export function architectureOf(type: OfferedInstanceType): InstanceTypeFacts['architecture'] | undefined {
  return (['x86_64', 'arm64'] as const).find((architecture) => type.architectures.includes(architecture));
}

/** @returns undefined when there is no image for the type */
export function instanceTypeFacts(type: OfferedInstanceType): InstanceTypeFacts | undefined {
  const architecture = architectureOf(type);
  if (architecture === undefined) return undefined;
  const { architectures, ...facts } = type;
  return { ...facts, architecture };
}
