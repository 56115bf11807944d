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

/**
 * A misspelt setting would be deployed without a word, and without what was asked for. Other unknown keys are left alone,
 * because the CDK and its libraries have many of their own.
 *
 * @throws ContextError for a key that was most likely meant to be a setting
 */
export function refuseMisspeltSettings(keys: readonly string[]): void {
  for (const key of keys.filter((each) => PLAIN_WORD.test(each))) {
    const meant = nearestWord(key, SETTING_NAMES);
    if (meant !== undefined)
      throw new ContextError(`context ${key}: is no setting; did you mean ${JSON.stringify(meant)}?`);
  }
}
