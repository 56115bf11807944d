/**
 * Closes the months of a store with the product's own function: `tsx close-store.ts FOLDER TODAY`, where FOLDER has the
 * objects by their keys. They are as at the end of the day: its closings have merged the objects of yesterday's runs and then
 * deleted them, and those of its own runs are open.
 */
import { makeCloseMonths } from '../../lambdas/close-months/close-months';
import { closedMonthsStore } from '../../lambdas/result-store/closed-months';
import { FolderBucket } from '../support/folder-bucket';

const HOUR_MILLISECONDS = 3_600_000;

async function closeStore(folder: string, today: string): Promise<void> {
  const store = closedMonthsStore(new FolderBucket(folder));
  for (const hour of [0, 6]) {
    const now = new Date(Date.parse(today) + hour * HOUR_MILLISECONDS);
    await makeCloseMonths({ store, now: () => now, log: (message, facts) => console.log(message, facts) })({});
  }
}

void closeStore(...(process.argv.slice(2) as [string, string]));
