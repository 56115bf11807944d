/**
 * Closes the months of a store with the product's own function: `tsx close-store.ts FOLDER TODAY`, where FOLDER has the
 * objects by their keys. They are as in the middle of the day: closed at its begin and a day before, so the objects of
 * yesterday's runs are merged, but not deleted yet.
 */
import { makeCloseMonths } from '../../lambdas/close-months/close-months';
import { closedMonthsStore } from '../../lambdas/result-store/closed-months';
import { FolderBucket } from '../support/folder-bucket';

const DAY_MILLISECONDS = 86_400_000;

async function closeStore(folder: string, today: string): Promise<void> {
  const store = closedMonthsStore(new FolderBucket(folder));
  for (const daysAgo of [1, 0]) {
    const now = new Date(Date.parse(today) - daysAgo * DAY_MILLISECONDS);
    await makeCloseMonths({ store, now: () => now, log: (message, facts) => console.log(message, facts) })({});
  }
}

void closeStore(...(process.argv.slice(2) as [string, string]));
