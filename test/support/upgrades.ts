/** What a deployment of today's template over a released one would break. */
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { fullDiff, type ResourceDifference, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DocumentContent, DocumentParameter } from '../../lib/measurement-documents/measurement-documents';

const RELEASES = join(__dirname, '../fixtures/releases');

/** The contexts of which each released version's template is kept, by name. */
export const VARIANTS = JSON.parse(readFileSync(join(RELEASES, 'variants.json'), 'utf8')) as Record<string, object>;

export interface CfnTemplate {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Record<string, unknown> }>
  >;
  readonly Outputs?: unknown;
}

export const releasedVersions = (): string[] => readdirSync(RELEASES).filter((name) => /^\d/.test(name));

export function releasedTemplate(version: string, variant: string): CfnTemplate {
  const packed = readFileSync(join(RELEASES, version, `${variant}.template.json.gz`));
  return JSON.parse(gunzipSync(packed).toString()) as CfnTemplate;
}

/** @returns one sentence per break; in `today`, they are a deployment's that has the release's context */
export function breaksOf(released: CfnTemplate, today: CfnTemplate): string[] {
  return [...replacements(released, today), ...refusedParameters(released, today)];
}

const GONE: readonly ResourceImpact[] = [
  ResourceImpact.WILL_REPLACE,
  ResourceImpact.MAY_REPLACE,
  ResourceImpact.WILL_DESTROY,
  ResourceImpact.WILL_ORPHAN,
];

/** A document that is updated by versions has "conditional" properties, which then need no replacement. */
const isGone = (impact: ResourceImpact, { UpdateMethod }: Readonly<Record<string, unknown>>) =>
  GONE.includes(impact) && !(impact === ResourceImpact.MAY_REPLACE && UpdateMethod === 'NewVersion');

/**
 * A resource must stay the one that it is if something has its identity: a name that the template gives it, which
 * CloudFormation refuses to give to a second one, or a reference, which a running execution has in its definition, in
 * its handlers' environment or on its hosts. Whatever keeps results is referred to as well. A resource without either,
 * like a permission or an alarm, may be replaced or removed.
 */
function replacements(released: CfnTemplate, today: CfnTemplate): string[] {
  // A dashboard only shows.
  const referring = Object.values(released.Resources).filter(({ Type }) => Type !== 'AWS::CloudWatch::Dashboard');
  const referred = new Set(referencesIn([...referring, released.Outputs]));
  const breaks: string[] = [];
  fullDiff(structuredClone(released), structuredClone(today)).resources.forEachDifference((id, change) => {
    if (!isGone(change.changeImpact, change.newProperties ?? {})) return;
    const { Type = '', Properties = {} } = released.Resources[id] ?? {};
    if (!(referred.has(id) || isNamed(Type, Properties))) return;
    breaks.push(`${id} (${Type}): ${reason(change)}`);
  });
  return breaks;
}

function reason(change: ResourceDifference): string {
  if (change.isRemoval) return 'is removed';
  const causes = Object.entries(change.propertyUpdates).filter(([, { changeImpact = ResourceImpact.NO_CHANGE }]) =>
    isGone(changeImpact, change.newProperties ?? {}),
  );
  return `is replaced, because of ${causes.map(([name]) => name).join(', ')}`;
}

const specification = loadAwsServiceSpecSync();

function isNamed(type: string, properties: Readonly<Record<string, unknown>>): boolean {
  const [resource] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
  return resource?.primaryIdentifier?.every((name) => typeof properties[name] === 'string') ?? false;
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (key === 'Ref') return [String(item)];
    if (key === 'Fn::GetAtt') return [String([item].flat()[0]).split('.')[0] ?? ''];
    return referencesIn(item);
  });
}

/** Runs of a release whose definitions send `$LATEST` send that release's parameters to today's documents. */
function refusedParameters(released: CfnTemplate, today: CfnTemplate): string[] {
  if (!JSON.stringify(released.Resources).includes('$LATEST')) return [];
  return Object.entries(documentsOf(released)).flatMap(([id, before]) => {
    const after: Record<string, DocumentParameter & { readonly default?: string }> = documentsOf(today)[id] ?? before;
    return [
      ...Object.entries(before).flatMap(([name, { allowedPattern }]) => {
        if (after[name] === undefined) return [`${id}: parameter ${name} is removed`];
        return after[name].allowedPattern === allowedPattern ? [] : [`${id}: parameter ${name} has another pattern`];
      }),
      ...Object.entries(after)
        .filter(([name, parameter]) => before[name] === undefined && parameter.default === undefined)
        .map(([name]) => `${id}: parameter ${name} is new and has no default`),
    ];
  });
}

function documentsOf({ Resources }: CfnTemplate): Record<string, DocumentContent['parameters']> {
  const documents = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::SSM::Document');
  return Object.fromEntries(
    documents.map(([id, { Properties }]) => {
      const content = Properties?.Content as DocumentContent | string;
      return [id, (typeof content === 'string' ? (JSON.parse(content) as DocumentContent) : content).parameters];
    }),
  );
}
