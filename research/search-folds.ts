/**
 * Searches for orders of requests in which the fold of a run or the closing of a month loses or repeats a row:
 * `npm run search:folds`. It takes about half an hour. Exit code 1: there is one.
 */
import { faultsOfClosings } from '../test/support/closing-schedules';
import { faultsOfRandomSchedules, faultsOfSchedulesTo, type ProcessName } from '../test/support/fold-schedules';

const RANDOM_SCHEDULES = 20_000;
const CLOSING_SCHEDULES = 10_000;
const PAIRS: readonly (readonly ProcessName[])[] = [
  ['repeatedSummary', 'lateAnalysis'],
  ['fold', 'lateAnalysis'],
  ['fold', 'repeatedSummary'],
];

async function main(): Promise<void> {
  const random = await faultsOfRandomSchedules(RANDOM_SCHEDULES);
  console.log(`${RANDOM_SCHEDULES} random orders of four calls: ${random.length} faults`);
  let all = random;
  for (const names of PAIRS) {
    const { count, faults } = await faultsOfSchedulesTo(3, names);
    console.log(`${count} orders of ${names.join(' and ')} with at most three events: ${faults.length} faults`);
    all = [...all, ...faults];
  }
  const { closings, queries, faults } = await faultsOfClosings(CLOSING_SCHEDULES);
  const happened = `${closings} closings and ${queries} queries`;
  console.log(`${CLOSING_SCHEDULES} random orders with ${happened}: ${faults.length} faults`);
  all = [...all, ...faults];
  for (const fault of all.slice(0, 20)) console.error(fault);
  process.exitCode = all.length === 0 ? 0 : 1;
}

void main();
