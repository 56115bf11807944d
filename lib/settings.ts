/** Everything that can be set with `cdk deploy --context key=value`: names, defaults, and allowed values. */
import * as z from 'zod';
import { RETENTION_DAYS } from '../domain/model/service-facts';
import { MAX_USER_TAGS, TAG_WORDS, userTags } from '../domain/workflow/user-tags';

/** The number of zones of us-east-1, which has the most. */
const MAX_ZONE_COUNT = 6;
const DEFAULT_IMAGE_PARAMETERS = '/network-benchmark/images/*';
/** A link ends with the role session that has signed it, and role sessions last at most this long. */
const MAX_PRESIGNED_HOURS = 12;
/** A function's environment is limited to 4 KB, and one variable of plan-run contains these tags. */
const MAX_TAGS_BYTES = 2_000;

/** More than the largest plan can cost, and the most hosts of a plan (`maxInstances` of a plan has the same limit). */
const MAX_COST_USD = 1_000_000;
const MAX_HOSTS = 2_000;
const MAX_RETENTION_DAYS = 3_650;

const VPC_ID = /^vpc-[0-9a-f]+$/;
/** A stack name must also be a valid beginning of the names of SSM documents. */
const STACK_NAME = /^(?!aws|amazon|amzn)[a-z][a-z0-9-]{0,39}$/i;
/** An Availability Zone, Local Zone or Wavelength Zone: us-west-1a, us-west-2-lax-1a, us-east-1-wl1-bos-wlz-1. */
const ZONE_NAME = /^[a-z]{2,4}(-[a-z0-9]+)+$/;
/** The name, or the beginning of names, of the account's own parameters; `/aws` and `/ssm` are reserved. */
const PARAMETER_NAMES = /^(?!\/(aws|ssm))(\/[A-Za-z0-9_.-]+)+(\/?\*)?$/i;
const SCHEDULE = /^(rate\([1-9][0-9]* (minutes?|hours?|days?)\)|cron\([^()]+\))$/;
const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key\/[A-Za-z0-9-]+$/;
/** What SNS accepts as the address of an e-mail subscription, as far as a pattern can express it. */
const EMAIL_ADDRESS = /^[^\s@,:]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;
/** Alarms can't publish to a FIFO topic, whose name ends in `.fifo`. */
export const TOPIC_ARN = /^arn:aws[a-z-]*:sns:(?<region>[a-z0-9-]+):[0-9]{12}:[A-Za-z0-9_-]{1,256}$/;

/** A flag is a boolean in cdk.json, and the word `true` or `false` on the command line. */
const flag = (byDefault: boolean) =>
  z
    .union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
    .default(byDefault)
    .describe('true or false');

/** A number is a number in cdk.json, and its digits on the command line. */
const number = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (given: number | string | undefined) => (typeof given === 'string' && given !== '' ? Number(given) : given),
    schema,
  );
const wholeNumber = (maximum: number, minimum = 1) => number(z.int().min(minimum).max(maximum));

/** A list is an array in cdk.json, and separated by commas on the command line. */
const list = z.preprocess(
  (given: string | readonly string[] | undefined = []) =>
    typeof given === 'string' ? given.split(',').map((item) => item.trim()) : [given].flat(),
  z.array(z.custom<string>((item) => typeof item === 'string' && item !== '', 'a list of names')),
);

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
const areUnique = (names: readonly string[]) => unique(names).length === names.length;
const isAny = (names: readonly string[]) => names.length === 1 && names[0] === 'any';
const areAddresses = (names: readonly string[]) => names.every((name) => EMAIL_ADDRESS.test(name));
const isTopic = ([name = '', ...others]: readonly string[]) => others.length === 0 && TOPIC_ARN.test(name);

/**
 * Every setting; the error for a value that is not allowed says "must be" and the setting's description. For `zones`:
 *
 * | `-c zones=`           | zones of the stack's own VPCs, which have one subnet per zone                           |
 * | --------------------- | --------------------------------------------------------------------------------------- |
 * | not given             | the first three that the Region lists; with fewer, the first ones get another subnet    |
 * | 5                     | the first five that the Region lists; with fewer, the deployment fails with that reason |
 * | us-west-1a,us-west-1c | these                                                                                   |
 */
export const SETTINGS = z.strictObject({
  stackName: z
    .string()
    .regex(STACK_NAME)
    .default('NetworkBenchmark')
    .describe(
      '1 to 40 letters, digits and hyphens, beginning with a letter but not with aws, amazon or amzn, which Systems ' +
        'Manager reserves for names of documents',
    ),
  vpcId: z.string().regex(VPC_ID).optional().describe('the id of a VPC when subnetIds or availabilityZones are given'),
  subnetIds: list.describe('one subnet per entry of availabilityZones'),
  availabilityZones: list.describe('the zone of each of subnetIds'),
  zones: z
    .union([
      wholeNumber(MAX_ZONE_COUNT).transform((count) => ({ count, mustAllDiffer: true })),
      list
        .refine((names) => names.every((name) => ZONE_NAME.test(name)) && areUnique(names))
        .refine((names) => names.length <= MAX_ZONE_COUNT)
        .transform((names: readonly string[]) => ({ names })),
    ])
    .default({ count: 3, mustAllDiffer: false })
    .describe(`a whole number from 1 to ${MAX_ZONE_COUNT}, or the names of as many different zones`),
  removalPolicy: z.enum(['retain', 'destroy']).default('retain').describe('one of retain, destroy'),
  peering: flag(false),
  /** The VPCs of the account, besides the stack's own, in whose subnets a plan may launch hosts. */
  hostVpcs: list
    .refine((names) => isAny(names) || names.every((name) => VPC_ID.test(name)))
    .transform((names) => (isAny(names) ? ('any' as const) : unique(names)))
    .describe('the ids of VPCs, or any'),
  /** Whether a host has a public address if the plan does not say. */
  publicAddresses: flag(true),
  /** The names of parameters that may contain an image id; a trailing `*` matches all names with this beginning. */
  imageParameters: list
    .refine((names) => names.every((name) => PARAMETER_NAMES.test(name)))
    .transform((names) => (names.length === 0 ? [DEFAULT_IMAGE_PARAMETERS] : unique(names)))
    .describe(
      'names of parameters of this account, each beginning with a slash, or beginnings of names that end with an ' +
        `asterisk, like ${DEFAULT_IMAGE_PARAMETERS}`,
    ),
  /** The user's own tags, for the stack and for everything that its runs create. */
  tags: z
    .preprocess(tagsOf, userTags)
    // IAM ignores the case of tag keys, so a role of the stack can't have two keys that differ only in case.
    .refine(
      (tags) => areUnique(Object.keys(tags).map((key) => key.toLowerCase())),
      'keys that differ in more than case, which IAM ignores',
    )
    .refine((tags) => Object.keys(tags).length <= MAX_USER_TAGS, `at most ${MAX_USER_TAGS} tags`)
    .refine(
      (tags) => Buffer.byteLength(JSON.stringify(tags)) <= MAX_TAGS_BYTES,
      `at most ${MAX_TAGS_BYTES} bytes as JSON`,
    )
    .describe(`an object or key=value,key=value, with ${TAG_WORDS}`),
  canarySchedule: z.string().regex(SCHEDULE).optional().describe('a rate, like rate(1 day), or a cron expression'),
  canaryPlan: z.string().optional().describe('the path of a plan'),
  /** Who is told about ended runs and alarms: e-mail addresses, or the subscribers of a topic. */
  notify: list
    .refine((names) => areAddresses(names) || isTopic(unique(names)))
    .transform(unique)
    .describe('e-mail addresses, or the ARN of one SNS topic that is not a FIFO topic'),
  /** The runs whose figures become CloudWatch metrics. */
  metrics: z.enum(['scheduled', 'all']).default('scheduled').describe('one of scheduled, all'),
  /** For how many hours a link to a report opens without an account; 0 if there is no such link. */
  presignedReports: wholeNumber(MAX_PRESIGNED_HOURS)
    .default(0)
    .describe(
      `a whole number of hours from 1 to ${MAX_PRESIGNED_HOURS}, because the link ends with the session of the role ` +
        'that signs it; without it, there is no such link',
    ),
  /** The most that a run can cost, by its forecast; plan-run refuses a dearer one. */
  maxCostUsdPerRun: number(z.number().min(0.01).max(MAX_COST_USD))
    .optional()
    .describe(`a number of USD from 0.01 to ${MAX_COST_USD}`),
  /** The most hosts that a run may have at the same time. */
  maxInstances: wholeNumber(MAX_HOSTS, 2).optional().describe(`a whole number of hosts from 2 to ${MAX_HOSTS}`),
  /** A customer's key, with which the result bucket is encrypted instead of S3's. */
  kmsKeyArn: z.string().regex(KEY_ARN).optional().describe("the ARN of a KMS key, arn:…:kms:…:key/…, and no alias's"),
  /** After how many days everything that a run stored is deleted. */
  retentionDays: wholeNumber(MAX_RETENTION_DAYS, RETENTION_DAYS.liveMeasurements)
    .optional()
    .describe(
      `a whole number of days from ${RETENTION_DAYS.liveMeasurements}, because a run may last that long, to ` +
        String(MAX_RETENTION_DAYS),
    ),
});

/** Reads tags: an object in `cdk.json`, and JSON or `key=value,key=value` on the command line. */
function tagsOf(given: string | Readonly<Record<string, string>> | undefined): unknown {
  if (typeof given !== 'string') return given ?? {};
  if (given.startsWith('{')) {
    try {
      return JSON.parse(given) as unknown;
    } catch {
      return given;
    }
  }
  const entries = given.split(',').map((entry) => {
    const [key = '', ...value] = entry.split('=');
    return [key.trim(), value.join('=').trim()] as const;
  });
  return Object.fromEntries(entries);
}

/** Settings as they are given: a property of `NetworkBenchmarkStack` or a key of the context for each. */
export type SettingsInput = Partial<z.input<typeof SETTINGS>>;
export type Settings = z.infer<typeof SETTINGS>;
export type SettingName = keyof Settings;

export const SETTING_NAMES = Object.keys(SETTINGS.shape).sort() as SettingName[];

/** Returns the settings among the keys of a context, which has many of the CDK's own. */
export const settingsIn = (context: Readonly<Record<string, unknown>>): SettingsInput =>
  Object.fromEntries(SETTING_NAMES.map((name) => [name, context[name]]));

export type HostVpcs = Settings['hostVpcs'];
export type MetricRuns = Settings['metrics'];
export type Notify = { readonly addresses: readonly string[] } | { readonly topicArn: string };
export type Zones = { readonly names: readonly string[] } | { readonly count: number; readonly mustAllDiffer: boolean };

/** The settings that say where hosts may be launched besides the stack's own subnets, with what, and how many. */
export type HostOptions = Pick<
  Settings,
  'hostVpcs' | 'publicAddresses' | 'imageParameters' | 'tags' | 'maxCostUsdPerRun' | 'maxInstances'
>;
