/** Prefixes of the bucket as lifecycle rules, policies and table locations need them; the keys themselves are built in `domain`. */
import { TABLES } from '../../domain/tables/columns';

export { ATHENA_RESULTS_PREFIX, RAW_PREFIX, REPORTS_PREFIX } from '../../domain/workflow/object-keys';

export function tablePrefix(table: keyof typeof TABLES): string {
  return `${TABLES[table].name}/`;
}

export const LIVE_SAMPLES_PREFIX = tablePrefix('live_samples');
