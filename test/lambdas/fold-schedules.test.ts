/**
 * Whatever the order of requests and whoever is killed: no older row replaces a newer one, and none is lost. More orders
 * than here are in `npm run search:folds`.
 */
import { faultsOfRandomSchedules, faultsOfSchedulesTo } from '../support/fold-schedules';

test('1,000 random orders of two folds, a repeated summary and a late analysis', async () => {
  expect(await faultsOfRandomSchedules(1000)).toEqual([]);
});

test('all orders of a repeated summary and a late analysis with at most two changes of turns or kills', async () => {
  const { faults, count } = await faultsOfSchedulesTo(2, ['repeatedSummary', 'lateAnalysis']);
  expect(faults).toEqual([]);
  expect(count).toBeGreaterThan(500);
});
