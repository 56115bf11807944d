/** What EC2 publishes about every instance type, from the table that ships with the release. */
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import recorded from '../domain/forecast/recorded-instance-types.json';
import type { PublishedType } from '../domain/forecast/known-figures';
import type { InstanceTypeFacts } from '../domain/model/instance-type';
import type { Source } from '../domain/model/source';
import { nearestWord } from '../domain/text/nearest-word';
import { instanceTypeOf } from '../lambdas/adapters/ec2-answers';

export const PUBLISHED_TYPES: readonly PublishedType[] = (recorded.InstanceTypes as InstanceTypeInfo[]).map((info) => {
  const { architectures, ...type } = instanceTypeOf(info);
  const architecture = architectures.includes('arm64') ? 'arm64' : 'x86_64';
  const memoryMebibytes = info.MemoryInfo?.SizeInMiB;
  if (memoryMebibytes === undefined) throw new Error(`${type.instanceType}: must have its memory recorded, got none`);
  return { ...type, architecture, memoryMebibytes, networkCardCount: info.NetworkInfo?.NetworkCards?.length };
});

export const PUBLISHED_SOURCE: Source = { name: 'EC2 API', date: recorded.date, text: recorded.source };

/** The hosts of the driven direction, as the options `--sender` and `--receiver` name them. */
export interface NamedHosts {
  readonly sender?: InstanceTypeFacts;
  readonly receiver?: InstanceTypeFacts;
}

/** @throws Error for a type that the table does not have; it names the option, the type and the most similar one */
export function namedHosts(options: Readonly<Partial<Record<keyof NamedHosts, string>>>): NamedHosts {
  const factsOf = (option: keyof NamedHosts) => {
    const name = options[option];
    return name === undefined ? undefined : published(`--${option}`, name);
  };
  return { sender: factsOf('sender'), receiver: factsOf('receiver') };
}

const familyOf = (instanceType: string) => instanceType.slice(0, instanceType.indexOf('.'));

/**
 * @param names types such as `c5.xlarge` and families such as `c5`, whose types are returned from small to large
 * @param where the option or argument that has the names
 * @throws Error for a name that the table does not have; it has the most similar one
 */
export function namedTypes(names: readonly string[], where = 'TYPE'): readonly PublishedType[] {
  const families = [...new Set(PUBLISHED_TYPES.map(({ instanceType }) => familyOf(instanceType)))];
  const types = names.flatMap((name) =>
    families.includes(name)
      ? PUBLISHED_TYPES.filter(({ instanceType }) => familyOf(instanceType) === name).sort(
          (one, other) => one.vcpuCount - other.vcpuCount,
        )
      : published(where, name, families),
  );
  return [...new Map(types.map((type) => [type.instanceType, type])).values()];
}

/**
 * @param where the option or argument that has the name
 * @param families those that may be named, too
 */
function published(where: string, name: string, families: readonly string[] = []): PublishedType {
  const find = (wanted: string) => PUBLISHED_TYPES.find(({ instanceType }) => instanceType === wanted);
  // The table omits variants with disks, which have the same network as the type without.
  const [family = '', size = ''] = name.split('.');
  const found = find(name) ?? find(`${family.replace(/d(n?)$/, '$1')}.${size}`);
  if (found) return { ...found, instanceType: name, recordedAs: found.instanceType };
  const names = PUBLISHED_TYPES.map(({ instanceType }) => instanceType);
  const orFamily = families.length > 0 ? ' or a family' : '';
  const meant = nearestWord(name, families.length > 0 && !name.includes('.') ? families : names);
  throw new Error(
    `${where}: must be an instance type${orFamily} in the table of ${recorded.date} (${names.length} types), got ${JSON.stringify(name)}` +
      (meant === undefined ? '' : `; did you mean ${meant}?`),
  );
}
