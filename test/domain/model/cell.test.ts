/** Two measurements that differ in one setting or condition are never taken for repetitions of each other. */
import { cellInWords, cellOf, type CellFacts } from '../../../domain/model/cell';
import { CONDITION_NAMES, CONDITIONS } from '../../../domain/model/conditions';
import type { MeasurementResult } from '../../../domain/model/result';
import { settingColumns } from '../../../domain/model/setting';
import { SETTING_NAMES, SETTINGS } from '../../../domain/model/settings';
import { cellsOf, labelledCells } from '../../../domain/repetitions/cells';
import { compareRuns } from '../../../domain/run/comparison';
import { TABLES } from '../../../domain/tables/columns';
import { benchmarkPlan } from '../../../domain/plan/schema';
import { differingPairs, factValues } from '../../support/differing-measurements';
import { latencyResult, throttledResult } from '../../support/measurement-results';
import { renderReport, reportInput } from '../../support/report-input';
import * as z from 'zod';

const PAIRS_PER_FACT = 12;
const PAIRS = differingPairs(20261122, PAIRS_PER_FACT);

type MakeResult = (changes: Partial<MeasurementResult>) => MeasurementResult;

/** The same figures for any facts, so that nothing but the facts distinguishes two results. */
function resultOf(make: MakeResult, facts: CellFacts, measurementId: string): MeasurementResult {
  // Every setting of the made-up result is replaced, also by its absence.
  const settings = Object.fromEntries(SETTING_NAMES.map((name) => [name, facts[name]]));
  return make({ ...facts, ...settings, measurementId, pairId: measurementId.slice(0, 5) });
}

test('each pair differs in exactly one fact, and every fact has a pair', () => {
  expect(new Set(PAIRS.map(({ name }) => name)).size).toBe(3 + CONDITION_NAMES.length + SETTING_NAMES.length);
  for (const { name, one, other } of PAIRS) {
    expect(one[name]).not.toEqual(other[name]);
    expect({ ...one, [name]: null }).toEqual({ ...other, [name]: null });
  }
});

test.each(PAIRS)('$name distinguishes two measurements: $one.$name and $other.$name', ({ name, one, other }) => {
  expect(cellOf(one)).not.toBe(cellOf(other));
  expect(cellOf(one, [name])).toBe(cellOf(other, [name]));
  const isType = name === 'clientType' || name === 'serverType';
  if (!isType) expect(cellInWords(one)).not.toBe(cellInWords(other));

  for (const make of [throttledResult, latencyResult]) {
    const [first, second] = [resultOf(make, one, 'p0001-m01'), resultOf(make, other, 'p0002-m01')];
    expect(cellsOf([first, second]).map(({ results }) => results.length)).toEqual([1, 1]);
    const { rows } = labelledCells([{ results: [first] }, { results: [second] }]);
    expect(new Set(rows.map(({ label }) => label)).size).toBe(2);
    const { compared, onlyNow, onlyEarlier } = compareRuns('earlier', [first], [second]);
    expect([compared, onlyNow.length, onlyEarlier.length]).toEqual([[], 1, 1]);
  }
});

const pageOf = (results: readonly MeasurementResult[]) =>
  renderReport(reportInput({ results, seriesOf: new Map(), failedPairs: [], earlierRuns: [] }));

test('the report has no row of repetitions for measurements that differ in one fact', () => {
  for (const { name, one, other } of PAIRS.filter((_, index) => index % PAIRS_PER_FACT === 0)) {
    for (const make of [throttledResult, latencyResult]) {
      const page = pageOf([resultOf(make, one, 'p0001-m01'), resultOf(make, other, 'p0002-m01')]);
      expect([name, page.includes('id="repetitions"')]).toEqual([name, false]);
    }
  }
  const { one } = PAIRS[0]!;
  expect(pageOf(['p0001-m01', 'p0002-m01'].map((id) => resultOf(throttledResult, one, id)))).toContain(
    'id="repetitions"',
  );
});

test('facts that are not part of the identity do not change it', () => {
  const result = throttledResult();
  const other = { ...result, runId: 'other', repetition: 7, planPairIndex: 3 };
  expect(cellOf(other)).toBe(cellOf(result));
});

test('CPU credits of one host distinguish measurements, and a displaced one is no repetition', () => {
  const earlier = throttledResult({ clientType: 't3.micro', serverType: 't3.micro' });
  expect(cellOf({ ...earlier, serverCpuCredits: 'unlimited' })).toBe(
    cellOf(earlier).replace('mtu_bytes=9001 ', 'mtu_bytes=9001 server_cpu_credits=unlimited '),
  );
  expect(cellOf({ ...earlier, isDisplaced: false })).toBe(cellOf({ ...earlier, isDisplaced: undefined }));
  expect(cellOf({ ...earlier, isDisplaced: true })).toBe(`${cellOf(earlier)}is_displaced=true `);
});

describe('an entry of the tables is all that a setting needs', () => {
  const columns = TABLES.open_measurements.columns;
  const definitions = [...Object.entries(CONDITIONS), ...Object.entries(SETTINGS)];

  test.each(definitions)('%s has its columns in measurements', (name, definition) => {
    for (const { column, type, comment } of settingColumns({ [name]: definition })) {
      expect(columns).toContainEqual({ name: column, type, comment });
    }
  });

  test.each(definitions)('%s has words, and values to draw', (name, definition) => {
    const values = factValues(name as keyof typeof CONDITIONS).filter((value) => value !== undefined);
    expect(new Set(values.map((value) => definition.words(value as never))).size).toBe(values.length);
  });

  test('every column of a setting is in the identity by its own name', () => {
    const facts = Object.fromEntries(definitions.map(([name]) => [name, factValues(name as 'path').at(-1)]));
    const parts = cellOf(facts as unknown as CellFacts)
      .trim()
      .split(' ');
    const names = parts.map((part) => part.split('=')[0]);
    expect(names).toEqual([CONDITIONS, SETTINGS].flatMap((table) => settingColumns(table).map(({ column }) => column)));
  });

  test('a plan can set every condition', () => {
    const schema = JSON.stringify(z.toJSONSchema(benchmarkPlan, { io: 'input' }));
    // What is pinned is said about a host, in `client` and `server`.
    const keysOf = (name: string) =>
      name.endsWith('PinnedPlace') ? ['subnetId', 'zoneId'] : name.endsWith('PinnedImage') ? ['imageId'] : [name];
    for (const key of CONDITION_NAMES.flatMap(keysOf)) expect(schema).toContain(`"${key}"`);
  });
});
