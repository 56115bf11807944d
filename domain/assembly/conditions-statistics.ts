/** What a route is like, as far as the tool could see. Not measured is absent, never 0. */
import type { ConditionsStatistics } from '../model/statistics';
import { withoutAbsent } from '../parsers/tool-series';
import type { ConditionsOutput } from '../parsers/tool-output';

export function conditionsStatistics({ pathMtuBytes, hopCount }: ConditionsOutput): ConditionsStatistics {
  return withoutAbsent({ pathMtuBytes, hopCount });
}
