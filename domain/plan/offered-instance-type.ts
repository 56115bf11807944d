/** What EC2 says of an instance type, as far as a plan's validation needs it. */
import type { InstanceTypeFacts } from '../model/instance-type';

export interface OfferedInstanceType extends Omit<InstanceTypeFacts, 'architecture'> {
  /** EC2's own words: `x86_64`, `arm64`, `i386`, `x86_64_mac`, `arm64_mac`. */
  readonly architectures: readonly string[];
}

/** The architecture a host of this type runs; undefined when there is no image for any it supports. */
export function architectureOf(type: OfferedInstanceType): InstanceTypeFacts['architecture'] | undefined {
  if (type.architectures.includes('x86_64')) return 'x86_64';
  if (type.architectures.includes('arm64')) return 'arm64';
  return undefined;
}

/** @returns undefined when no image fits the type. */
export function instanceTypeFacts(type: OfferedInstanceType): InstanceTypeFacts | undefined {
  const architecture = architectureOf(type);
  if (architecture === undefined) return undefined;
  const facts = Object.fromEntries(Object.entries(type).filter(([name]) => name !== 'architectures'));
  return { ...(facts as Omit<OfferedInstanceType, 'architectures'>), architecture };
}
