/** The names of the deployment's settings, which are keys of the CDK's context beside the CDK's own. */
import { nearestWord } from '../domain/text/nearest-word';
import { ContextError } from './context-error';

export const SETTING_NAMES = [
  'availabilityZones',
  'canaryPlan',
  'canarySchedule',
  'hostVpcs',
  'imageParameters',
  'metrics',
  'notify',
  'peering',
  'presignedReports',
  'publicAddresses',
  'removalPolicy',
  'stackName',
  'subnetIds',
  'tags',
  'vpcId',
  'zones',
];

/** The CDK's own keys have colons and slashes, such as `availability-zones:account=…`. */
const PLAIN_WORD = /^[\w-]+$/;

/** A key of the context, and the setting that it was most likely meant to be. */
export interface MisspeltSetting {
  readonly key: string;
  readonly meant: string;
}

/**
 * A misspelt setting would be deployed without a word, and without what was asked for. Other unknown keys are left alone,
 * because the CDK and its libraries have many of their own.
 */
export function misspeltSettings(keys: readonly string[]): MisspeltSetting[] {
  return keys
    .filter((key) => PLAIN_WORD.test(key))
    .flatMap((key) => {
      const meant = nearestWord(key, SETTING_NAMES);
      return meant === undefined ? [] : [{ key, meant }];
    });
}

/** @throws ContextError that names all of them */
export function refuseMisspelt(settings: readonly MisspeltSetting[]): void {
  if (settings.length === 0) return;
  const lines = settings.map(
    ({ key, meant }) => `context ${key}: is no setting; did you mean ${JSON.stringify(meant)}?`,
  );
  throw new ContextError(lines.join('\n'));
}
