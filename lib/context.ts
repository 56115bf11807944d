/** Reads and checks the settings of a deployment, which are given as keys of the CDK context. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scaledModelOf } from '../domain/model/scaled-model';
import { checkPlan, checkTags } from '../domain/plan/check-plan';
import { readPlan } from '../domain/plan/read-plan';
import { nearestWord } from '../domain/text/nearest-word';
import { formatPlanProblem } from '../domain/workflow/error-names';
import {
  SETTING_NAMES,
  SETTINGS,
  TOPIC_ARN,
  type HostOptions,
  type Notify,
  type SettingName,
  type Settings,
} from './settings';

const DEFAULT_PLAN = join(__dirname, '../examples/plans/canary.json');

export interface DeploymentContext
  extends HostOptions, Pick<Settings, 'stackName' | 'zones' | 'metrics' | 'kmsKeyArn' | 'retentionDays'> {
  /** @default the stack creates its own network */
  readonly existingNetwork?: ExistingNetwork;
  readonly keepsResults: boolean;
  /** Whether the stack has a second VPC, peered with the first, for the path `peering`. */
  readonly hasPeering: boolean;
  /** @default no run is started on a schedule */
  readonly canary?: CanaryPlan;
  /** @default nobody is notified */
  readonly notify?: Notify;
  readonly presignedReportHours: number;
}

export interface ExistingNetwork {
  readonly vpcId: string;
  /** One subnet per zone, in the order of `availabilityZones`. */
  readonly subnetIds: readonly string[];
  readonly availabilityZones: readonly string[];
}

export interface CanaryPlan {
  /** When runs start: `rate(1 day)` or `cron(…)`, in UTC. */
  readonly schedule: string;
  readonly planName: string;
  /** The input of the execution that the schedule starts. */
  readonly planJson: string;
}

/** Reports wrong settings to the user. Its message has at least one line per problem and needs no stack trace. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

interface Reading {
  readonly settings: Partial<Settings>;
  readonly given: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly refusals: string[];
}

/**
 * @param context all keys, including the CDK's own
 * @param region the Region of the deployment, if it is known at synthesis
 * @throws ContextError with every problem. Dependencies between settings are checked where the dependent one is read.
 */
export function readContext(context: Readonly<Record<string, unknown>>, region?: string): DeploymentContext {
  const misspelt = misspeltSettings(Object.keys(context));
  // The value of a misspelt name is checked as well, because another setting may depend on it.
  const asMeant = Object.fromEntries(misspelt.map(({ key, meant }) => [meant, context[key]]));
  const given = { ...asMeant, ...context };
  const refusals = misspelt.map(
    ({ key, meant }) => `context ${key}: is no setting; did you mean ${JSON.stringify(meant)}?`,
  );
  const entries = Object.entries(SETTINGS.shape).flatMap(([name, schema]) => {
    const read = schema.safeParse(given[name] ?? undefined, { error: () => schema.description });
    if (read.success) return [[name, read.data] as const];
    const { path = [], message = '' } = read.error.issues[0] ?? {};
    const key = typeof path[0] === 'string' ? `[${JSON.stringify(path[0])}]` : '';
    refusals.push(refusal(`${name}${key}`, message, given[name]));
    return [];
  });
  const reading: Reading = { settings: Object.fromEntries(entries), given, refusals };
  const existingNetwork = existingNetworkOf(reading);
  const notify = notifyOf(reading, region);
  const canary = canaryOf(reading);
  checkScaledModel(reading);
  checkKey(reading, region);
  if (refusals.length > 0) throw new ContextError(refusals.join('\n'));
  const { removalPolicy, peering, presignedReports, ...settings } = reading.settings as Settings;
  return {
    ...settings,
    existingNetwork,
    notify,
    canary,
    keepsResults: removalPolicy === 'retain',
    hasPeering: peering,
    presignedReportHours: presignedReports,
  };
}

const refusal = (key: string, allowed: string, got: unknown) =>
  `context ${key}: must be ${allowed}, got ${JSON.stringify(got)}`;

/**
 * Finds misspelt settings, which would otherwise be ignored silently. Other unknown keys are allowed, because the CDK
 * and its libraries have many keys of their own, such as `availability-zones:account=…`.
 */
function misspeltSettings(keys: readonly string[]): { readonly key: string; readonly meant: string }[] {
  return keys
    .filter((key) => /^[\w-]+$/.test(key))
    .flatMap((key) => {
      const meant = nearestWord(key, SETTING_NAMES);
      return meant === undefined ? [] : [{ key, meant }];
    });
}

function existingNetworkOf({ settings, given, refusals }: Reading): ExistingNetwork | undefined {
  const { vpcId, subnetIds = [], availabilityZones = [], peering } = settings;
  if (vpcId === undefined) {
    const isLacking = given.vpcId === undefined && subnetIds.length + availabilityZones.length > 0;
    if (isLacking) refusals.push(refusal('vpcId', SETTINGS.shape.vpcId.description ?? '', vpcId));
    return undefined;
  }
  if (subnetIds.length === 0 || subnetIds.length !== availabilityZones.length) {
    refusals.push(
      'context subnetIds: must list one subnet per entry of availabilityZones, ' +
        `got ${subnetIds.length} subnet(s) for ${availabilityZones.length} zone(s)`,
    );
  } else if (peering === true) {
    const allowed = "false together with vpcId, because only the stack's own networks can be peered";
    refusals.push(refusal('peering', allowed, true));
  }
  return { vpcId, subnetIds, availabilityZones };
}

function notifyOf({ settings: { notify = [] }, refusals }: Reading, region: string | undefined): Notify | undefined {
  const [first] = notify;
  if (first === undefined) return undefined;
  const topic = TOPIC_ARN.exec(first);
  if (topic === null) return { addresses: notify };
  if (region !== undefined && topic.groups?.region !== region) {
    const allowed = `the ARN of a topic in ${region}, where the stack is deployed, because an alarm reaches no other Region`;
    refusals.push(refusal('notify', allowed, first));
  }
  return { topicArn: first };
}

/** S3 accepts a key of another Region as a bucket's default, and refuses every object. */
function checkKey({ settings: { kmsKeyArn }, refusals }: Reading, region: string | undefined): void {
  const ofKey = kmsKeyArn?.split(':')[3];
  if (ofKey === undefined || region === undefined || ofKey === region) return;
  refusals.push(refusal('kmsKeyArn', `the ARN of a key in ${region}, where the bucket is`, kmsKeyArn));
}

/** Checks the plan at synthesis, because nobody would notice if the scheduled run were refused. */
function canaryOf({ settings, given, refusals }: Reading): CanaryPlan | undefined {
  const { canarySchedule: schedule, canaryPlan: path = DEFAULT_PLAN, tags = {} } = settings;
  if (schedule === undefined) {
    const allowed = 'left out without canarySchedule, like rate(1 day), which would start the plan';
    const isLeftOut = (given.canarySchedule ?? undefined) === undefined;
    if (isLeftOut && settings.canaryPlan !== undefined) refusals.push(refusal('canaryPlan', allowed, path));
    return undefined;
  }
  const submitted = readJson(path, refusals);
  if (submitted === undefined) return undefined;
  const read = readPlan(submitted);
  const problems = [...read.problems, ...checkPlan(read, false), ...checkTags(read.fields.tags, tags)];
  if (read.plan !== undefined && problems.length === 0) {
    return { schedule, planName: read.plan.name, planJson: JSON.stringify(submitted) };
  }
  const listed = problems.map(formatPlanProblem).join('\n');
  refusals.push(`context canaryPlan: must be a plan that can be run, got ${path}:\n${listed}`);
  return undefined;
}

function readJson(path: string, refusals: string[]): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch (error) {
    refusals.push(`context canaryPlan: must be the path of a JSON file, got ${path}: ${String(error)}`);
    return undefined;
  }
}

/** Checks that tags name a scaled model completely or not at all. */
function checkScaledModel({ settings: { tags = {} }, refusals }: Reading): void {
  try {
    scaledModelOf(tags);
  } catch (error) {
    refusals.push(`context tags: ${(error as Error).message}`);
  }
}
