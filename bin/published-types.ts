/** What EC2 publishes about every instance type, from the table that ships with the release. */
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import recorded from '../domain/forecast/recorded-instance-types.json';
import type { InstanceTypeFacts } from '../domain/model/instance-type';
import { nearestWord } from '../domain/text/nearest-word';
import { instanceTypeOf } from '../lambdas/adapters/ec2-answers';

export const PUBLISHED_TYPES: readonly InstanceTypeFacts[] = (recorded.InstanceTypes as InstanceTypeInfo[]).map(
  (info) => {
    const { architectures, ...type } = instanceTypeOf(info);
    return { ...type, architecture: architectures.includes('arm64') ? 'arm64' : 'x86_64' };
  },
);

/** The hosts of the driven direction, as the options `--sender` and `--receiver` name them. */
export interface NamedHosts {
  readonly sender?: InstanceTypeFacts;
  readonly receiver?: InstanceTypeFacts;
}

/** @throws Error for a type that the table does not have; it names the option, the type and the most similar one */
export function namedHosts(options: Readonly<Partial<Record<keyof NamedHosts, string>>>): NamedHosts {
  const factsOf = (option: keyof NamedHosts) => {
    const name = options[option];
    return name === undefined ? undefined : published(option, name);
  };
  return { sender: factsOf('sender'), receiver: factsOf('receiver') };
}

function published(option: string, name: string): InstanceTypeFacts {
  const find = (wanted: string) => PUBLISHED_TYPES.find(({ instanceType }) => instanceType === wanted);
  // The table omits variants with disks, which have the same network as the type without.
  const [family = '', size = ''] = name.split('.');
  const found = find(name) ?? find(`${family.replace(/d(n?)$/, '$1')}.${size}`);
  if (found) return { ...found, instanceType: name };
  const names = PUBLISHED_TYPES.map(({ instanceType }) => instanceType);
  const meant = nearestWord(name, names);
  throw new Error(
    `--${option}: must be an instance type of the table of ${recorded.date} (${names.length} types), got ${JSON.stringify(name)}` +
      (meant === undefined ? '' : `; did you mean ${meant}?`),
  );
}
