/** Reads and checks everything that can be set with `cdk deploy --context key=value`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'constructs';
import { scaledModelOf } from '../domain/model/scaled-model';
import { checkPlan, checkTags } from '../domain/plan/check-plan';
import { readPlan } from '../domain/plan/read-plan';
import { formatPlanProblem } from '../domain/workflow/error-names';
import { MAX_USER_TAGS, TAG_WORDS, userTags, type UserTags } from '../domain/workflow/user-tags';
import { ContextError, readAll, refusal, unlessRefused } from './context-error';

/** Whom the stack tells about the ends of runs and about alarms: the people at addresses, or the subscribers of a topic. */
export type Notify = { readonly addresses: readonly string[] } | { readonly topicArn: string };

/** Of which runs the figures become CloudWatch metrics. */
export type MetricRuns = (typeof METRIC_RUNS)[number];

/** Where the hosts of a plan may be beside the stack's own subnets, and what they are launched with. */
export interface HostOptions {
  readonly hostVpcs: HostVpcs;
  /** Whether a host has a public address where the plan does not say. */
  readonly publicAddresses: boolean;
  /** The user's own tags, for the stack and everything that its runs make. */
  readonly tags: UserTags;
  /** The names of parameters that may name an image; a name that ends with `*` stands for all that begin so. */
  readonly imageParameters: readonly string[];
}

/** The networks of the account, apart from the stack's own, in whose subnets a plan may launch hosts. */
export type HostVpcs = 'any' | readonly string[];

export interface DeploymentContext extends HostOptions {
  /** @default the stack creates its own network */
  readonly existingNetwork?: ExistingNetwork;
  readonly zones: Zones;
  readonly keepsResults: boolean;
  /** Whether the stack has a second network, peered with the first, for the path `peering`. */
  readonly hasPeering: boolean;
  /** @default no run is started on a schedule */
  readonly canary?: CanaryPlan;
  /** @default nobody is told */
  readonly notify?: Notify;
  readonly metrics: MetricRuns;
  /** For how long a link to a run's report opens without an account; 0 where there is no such link. */
  readonly presignedReportHours: number;
}

/**
 * The zones of the stack's own networks, which have one subnet per zone.
 *
 * | `-c zones=`             | zones                                                                                   |
 * | ----------------------- | --------------------------------------------------------------------------------------- |
 * | left out                | the first three that the Region lists; with fewer, the first ones get another subnet    |
 * | 5                       | the first five that the Region lists; with fewer, the deployment fails with that reason |
 * | us-west-1a,us-west-1c   | these                                                                                   |
 */
export type Zones = { readonly names: readonly string[] } | { readonly count: number; readonly mustAllDiffer: boolean };

export interface ExistingNetwork {
  readonly vpcId: string;
  /** One per zone, in the order of `availabilityZones`. */
  readonly subnetIds: readonly string[];
  readonly availabilityZones: readonly string[];
}

/** The plan that a schedule starts. */
export interface CanaryPlan {
  /** `rate(1 day)` or `cron(…)`, in UTC. */
  readonly schedule: string;
  readonly planName: string;
  /** Input of the execution. */
  readonly planJson: string;
}

/** A construct's node, or whatever else knows the context. */
type ContextNode = Pick<Node, 'tryGetContext'>;

const DEFAULT_STACK_NAME = 'NetworkBenchmark';
/** The names of the documents begin with it. */
const STACK_NAME = /^(?!aws|amazon|amzn)[a-z][a-z0-9-]{0,39}$/i;
const DEFAULT_ZONE_COUNT = 3;
/** No Region has more zones than us-east-1. */
const MAX_ZONE_COUNT = 6;
/** Of an Availability Zone, a Local Zone or a Wavelength Zone: us-west-1a, us-west-2-lax-1a, us-east-1-wl1-bos-wlz-1. */
const ZONE_NAME = /^[a-z]{2,4}(-[a-z0-9]+)+$/;
const REMOVAL_POLICIES = ['retain', 'destroy'];
const VPC_ID = /^vpc-[0-9a-f]+$/;
const DEFAULT_IMAGE_PARAMETERS = '/network-benchmark/images/*';
/** A name of the account's own parameters, or the beginning of one; `/aws` and `/ssm` are reserved. */
const PARAMETER_NAMES = /^(?!\/(aws|ssm))(\/[A-Za-z0-9_.-]+)+(\/?\*)?$/i;
const DEFAULT_PLAN = join(__dirname, '../examples/plans/canary.json');
const METRIC_RUNS = ['scheduled', 'all'] as const;
/** What SNS takes as the address of an e-mail subscription, as far as a pattern can say. */
const EMAIL_ADDRESS = /^[^\s@,:]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;
/** Alarms can't publish to a FIFO topic, whose name ends in `.fifo`. */
const TOPIC_ARN = /^arn:aws[a-z-]*:sns:(?<region>[a-z0-9-]+):[0-9]{12}:[A-Za-z0-9_-]{1,256}$/;
/** No session of a role lasts longer, and a link ends with the session that has signed it. */
const MAX_PRESIGNED_HOURS = 12;
const SCHEDULE = /^(rate\([1-9][0-9]* (minutes?|hours?|days?)\)|cron\([^()]+\))$/;

export function readStackName(node: ContextNode): string {
  const given: unknown = node.tryGetContext('stackName') ?? DEFAULT_STACK_NAME;
  if (typeof given === 'string' && STACK_NAME.test(given)) return given;
  const allowed =
    '1 to 40 letters, digits and hyphens, beginning with a letter but not with aws, amazon or amzn, which Systems ' +
    'Manager reserves for names of documents';
  throw refusal('stackName', allowed, given);
}

/**
 * @param region the Region of the deployment, where it is known before the deployment
 * @throws ContextError with all settings that are refused
 */
export function readContext(node: ContextNode, region?: string): DeploymentContext {
  return readAll<DeploymentContext>({
    existingNetwork: () => readExistingNetwork(node),
    zones: () => readZones(node),
    keepsResults: () => readRemovalPolicy(node) === 'retain',
    hasPeering: () => readPeering(node),
    hostVpcs: () => readHostVpcs(node),
    publicAddresses: () => readFlag(node, 'publicAddresses', true),
    imageParameters: () => readImageParameters(node),
    tags: () => readTags(node),
    canary: () => readCanaryPlan(node),
    notify: () => readNotify(node, region),
    metrics: () => readMetricRuns(node),
    presignedReportHours: () => readPresignedReportHours(node),
  });
}

function readRemovalPolicy(node: ContextNode): string {
  const given: unknown = node.tryGetContext('removalPolicy') ?? 'retain';
  if (typeof given === 'string' && REMOVAL_POLICIES.includes(given)) return given;
  throw refusal('removalPolicy', `one of ${REMOVAL_POLICIES.join(', ')}`, given);
}

function readPeering(node: ContextNode): boolean {
  const hasPeering = readFlag(node, 'peering', false);
  if (!hasPeering || unlessRefused(() => readExistingNetwork(node)) === undefined) return hasPeering;
  throw refusal('peering', "false together with vpcId, because only the stack's own networks can be peered", true);
}

/** A flag is a boolean in cdk.json, and the word `true` or `false` on the command line. */
function readFlag(node: ContextNode, key: string, byDefault: boolean): boolean {
  const given: unknown = node.tryGetContext(key) ?? byDefault;
  if (given === true || given === 'true') return true;
  if (given === false || given === 'false') return false;
  throw refusal(key, 'true or false', given);
}

function readZones(node: ContextNode): Zones {
  const given: unknown = node.tryGetContext('zones');
  if (given === undefined) return { count: DEFAULT_ZONE_COUNT, mustAllDiffer: false };
  const count = typeof given === 'number' || typeof given === 'string' ? Number(given) : NaN;
  if (Number.isInteger(count) && count >= 1 && count <= MAX_ZONE_COUNT) return { count, mustAllDiffer: true };
  const allowed = `a whole number from 1 to ${MAX_ZONE_COUNT}, or the names of as many different zones`;
  const names = readList(node, 'zones');
  const areNames = names.every((name) => ZONE_NAME.test(name)) && new Set(names).size === names.length;
  if (!areNames || names.length > MAX_ZONE_COUNT) throw refusal('zones', allowed, given);
  return { names };
}

function readExistingNetwork(node: ContextNode): ExistingNetwork | undefined {
  const vpcId: unknown = node.tryGetContext('vpcId');
  const subnetIds = readList(node, 'subnetIds');
  const availabilityZones = readList(node, 'availabilityZones');
  if (vpcId === undefined && subnetIds.length === 0 && availabilityZones.length === 0) return undefined;
  if (typeof vpcId !== 'string' || !VPC_ID.test(vpcId)) {
    throw refusal('vpcId', 'the id of a VPC when subnetIds or availabilityZones are given', vpcId);
  }
  if (subnetIds.length === 0 || subnetIds.length !== availabilityZones.length) {
    throw new ContextError(
      'context subnetIds: must list one subnet per entry of availabilityZones, ' +
        `got ${subnetIds.length} subnet(s) for ${availabilityZones.length} zone(s)`,
    );
  }
  return { vpcId, subnetIds, availabilityZones };
}

function readHostVpcs(node: ContextNode): HostVpcs {
  const given = readList(node, 'hostVpcs');
  if (given.length === 1 && given[0] === 'any') return 'any';
  if (given.every((vpcId) => VPC_ID.test(vpcId))) return [...new Set(given)];
  throw refusal('hostVpcs', 'the ids of VPCs, or any', node.tryGetContext('hostVpcs'));
}

function readImageParameters(node: ContextNode): string[] {
  const given = readList(node, 'imageParameters');
  if (given.length === 0) return [DEFAULT_IMAGE_PARAMETERS];
  if (given.every((name) => PARAMETER_NAMES.test(name))) return [...new Set(given)];
  const allowed =
    'names of parameters of this account, each beginning with a slash, or beginnings of names that end with an asterisk, ' +
    `like ${DEFAULT_IMAGE_PARAMETERS}`;
  throw refusal('imageParameters', allowed, node.tryGetContext('imageParameters'));
}

function readNotify(node: ContextNode, region?: string): Notify | undefined {
  const given = [...new Set(readList(node, 'notify'))];
  const [first] = given;
  if (first === undefined) return undefined;
  if (given.every((address) => EMAIL_ADDRESS.test(address))) return { addresses: given };
  const topic = given.length === 1 ? TOPIC_ARN.exec(first) : null;
  if (topic === null) {
    const allowed = 'e-mail addresses, or the ARN of one SNS topic that is not a FIFO topic';
    throw refusal('notify', allowed, node.tryGetContext('notify'));
  }
  const topicRegion = topic.groups?.region;
  if (region !== undefined && topicRegion !== region) {
    const allowed = `the ARN of a topic in ${region}, where the stack is deployed, because an alarm reaches no other Region`;
    throw refusal('notify', allowed, first);
  }
  return { topicArn: first };
}

function readMetricRuns(node: ContextNode): MetricRuns {
  const given: unknown = node.tryGetContext('metrics') ?? 'scheduled';
  const found = METRIC_RUNS.find((runs) => runs === given);
  if (found === undefined) throw refusal('metrics', `one of ${METRIC_RUNS.join(', ')}`, given);
  return found;
}

/** A number in cdk.json, and its digits on the command line. */
function readPresignedReportHours(node: ContextNode): number {
  const given: unknown = node.tryGetContext('presignedReports');
  if (given === undefined) return 0;
  const hours = typeof given === 'number' || (typeof given === 'string' && given !== '') ? Number(given) : NaN;
  if (Number.isInteger(hours) && hours >= 1 && hours <= MAX_PRESIGNED_HOURS) return hours;
  const allowed =
    `a whole number of hours from 1 to ${MAX_PRESIGNED_HOURS}, because the link ends with the session of the role that ` +
    'signs it; without it, there is no such link';
  throw refusal('presignedReports', allowed, given);
}

/** A list is an array in cdk.json, and separated by commas on the command line. */
function readList(node: ContextNode, key: string): string[] {
  const given: unknown = node.tryGetContext(key) ?? [];
  const list: unknown[] =
    typeof given === 'string' ? given.split(',').map((item) => item.trim()) : Array.isArray(given) ? given : [given];
  if (list.some((item) => typeof item !== 'string' || item === '')) throw refusal(key, 'a list of names', given);
  return list as string[];
}

/** A function's environment variables have at most 4 KB, and plan-run has these tags in one of them. */
const MAX_TAGS_CHARACTERS = 2_000;

/**
 * Tags are an object in `cdk.json`. On the command line they are the same as JSON, or `key=value,key=value`. IAM takes
 * keys that differ only in case for the same key, and a role of the stack can't have both.
 */
function readTags(node: ContextNode): UserTags {
  const given: unknown = node.tryGetContext('tags') ?? {};
  const read = userTags.safeParse(typeof given === 'string' ? tagsOf(given) : given);
  if (!read.success) {
    const [key] = read.error.issues[0]?.path ?? [];
    const where = key === undefined ? 'tags' : `tags[${JSON.stringify(String(key))}]`;
    throw refusal(where, `an object or key=value,key=value, with ${TAG_WORDS}`, given);
  }
  const keys = Object.keys(read.data);
  if (new Set(keys.map((key) => key.toLowerCase())).size < keys.length) {
    throw refusal('tags', 'keys that differ in more than case, which IAM ignores', given);
  }
  if (keys.length > MAX_USER_TAGS) throw refusal('tags', `at most ${MAX_USER_TAGS} tags`, given);
  if (JSON.stringify(read.data).length > MAX_TAGS_CHARACTERS) {
    throw refusal('tags', `at most ${MAX_TAGS_CHARACTERS} characters as JSON`, given);
  }
  readModel(read.data);
  return read.data;
}

/** @throws ContextError where the tags name a scaled model without its scale */
function readModel(tags: UserTags): void {
  try {
    scaledModelOf(tags);
  } catch (error) {
    throw new ContextError(`context tags: ${(error as Error).message}`);
  }
}

function tagsOf(text: string): unknown {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }
  const entries = text.split(',').map((entry) => {
    const [key = '', ...value] = entry.split('=');
    return [key.trim(), value.join('=').trim()] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Checks the plan at synthesis, because nobody would notice a plan that is rejected when the schedule starts it.
 * @returns undefined if the context has no schedule
 */
function readCanaryPlan(node: ContextNode): CanaryPlan | undefined {
  const schedule: unknown = node.tryGetContext('canarySchedule');
  const given: unknown = node.tryGetContext('canaryPlan');
  if (schedule === undefined) {
    if (given === undefined) return undefined;
    throw refusal('canaryPlan', 'left out without canarySchedule, like rate(1 day), which would start the plan', given);
  }
  if (typeof schedule !== 'string' || !SCHEDULE.test(schedule)) {
    throw refusal('canarySchedule', 'a rate, like rate(1 day), or a cron expression', schedule);
  }
  const path = given ?? DEFAULT_PLAN;
  if (typeof path !== 'string') throw refusal('canaryPlan', 'the path of a plan', path);
  const submitted = readJson(path);
  const read = readPlan(submitted);
  const tags = unlessRefused(() => readTags(node)) ?? {};
  const problems = [...read.problems, ...checkPlan(read, false), ...checkTags(read.fields.tags, tags)];
  if (read.plan === undefined || problems.length > 0) {
    const listed = problems.map(formatPlanProblem).join('\n');
    throw new ContextError(`context canaryPlan: must be a plan that can be run, got ${path}:\n${listed}`);
  }
  return { schedule, planName: read.plan.name, planJson: JSON.stringify(submitted) };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch (cause) {
    throw new ContextError(`context canaryPlan: must be the path of a JSON file, got ${path}: ${String(cause)}`, {
      cause,
    });
  }
}
