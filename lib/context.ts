/** Reads and checks the settings of a deployment, which are keys of the CDK's context beside the CDK's own. */
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

export interface DeploymentContext extends HostOptions, Pick<Settings, 'stackName' | 'zones' | 'metrics'> {
  /** @default the stack creates its own network */
  readonly existingNetwork?: ExistingNetwork;
  readonly keepsResults: boolean;
  /** Whether the stack has a second network, peered with the first, for the path `peering`. */
  readonly hasPeering: boolean;
  /** @default no run is started on a schedule */
  readonly canary?: CanaryPlan;
  /** @default nobody is told */
  readonly notify?: Notify;
  readonly presignedReportHours: number;
}

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

/** Says what is wrong with settings, to whoever has set them: its message, a line or more for each, is all that they need. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

/** What is read of the settings, and what is wrong with them. */
interface Reading {
  readonly settings: Partial<Settings>;
  readonly given: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly refusals: string[];
}

/**
 * @param context all keys, the CDK's own among them
 * @param region the Region of the deployment, where it is known before the deployment
 * @throws ContextError with everything that is wrong. What depends on another setting is examined where that one is read.
 */
export function readContext(context: Readonly<Record<string, unknown>>, region?: string): DeploymentContext {
  const misspelt = misspeltSettings(Object.keys(context));
  // What stands under a misspelt name is checked, too, and another setting may depend on it.
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
 * A misspelt setting would be deployed without a word, and without what was asked for. Other unknown keys are left alone,
 * because the CDK and its libraries have many of their own, such as `availability-zones:account=…`.
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

/** Checks the plan at synthesis, because nobody would notice a plan that is rejected when the schedule starts it. */
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

/** Tags may name a scaled model only as a whole. */
function checkScaledModel({ settings: { tags = {} }, refusals }: Reading): void {
  try {
    scaledModelOf(tags);
  } catch (error) {
    refusals.push(`context tags: ${(error as Error).message}`);
  }
}
