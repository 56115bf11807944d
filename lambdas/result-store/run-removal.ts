/** Everything that the result bucket has of one run, to delete it. */
import pMap from 'p-map';
import { METRICS } from '../../domain/model/sample';
import {
  keysBelowFolders,
  measurementSamplesPrefix,
  reportKey,
  reportPrefix,
  rowPartsPrefix,
  unfinishedPrefix,
} from '../../domain/workflow/object-keys';
import type * as stacks from '../adapters/cloudformation';
import type * as functions from '../adapters/lambda';
import type { DeletableBucket, ListableBucket } from '../adapters/s3';

const CONCURRENT_LISTS = { concurrency: 32 };

export function runRemoval(bucket: Omit<ListableBucket, 'listVersions'> & DeletableBucket) {
  const { listObjects, listFolders, deleteObjects } = bucket;

  /** Asks the bucket alone, so that a run is found whose documents are gone or were half deleted. */
  const findKeys = async (runId: string): Promise<string[]> => {
    const below = await pMap(keysBelowFolders(runId, METRICS), async ({ folder, begin }) =>
      (await listFolders(folder)).map((name) => `${folder}${name}/${begin}`),
    );
    const ownPrefixes = [rowPartsPrefix, measurementSamplesPrefix, unfinishedPrefix, reportPrefix].map((prefix) =>
      prefix(runId),
    );
    return (await pMap([...below.flat(), ...ownPrefixes], listObjects, CONCURRENT_LISTS)).flat();
  };

  return {
    findKeys,

    /** Documents are deleted last, so that a deletion that was cut off still is a run in the history. */
    deleteKeys: async (runId: string, keys: readonly string[]): Promise<void> => {
      const isDocument = (key: string) => key.startsWith(reportPrefix(runId));
      await deleteObjects(keys.filter((key) => !isDocument(key)));
      await deleteObjects(keys.filter(isDocument));
    },
  };
}

/** @returns the name of the function with this construct id */
async function findFunction(
  { listStackResources }: Pick<typeof stacks, 'listStackResources'>,
  stack: string,
  id: string,
): Promise<string> {
  const found = (await listStackResources(stack)).find(
    ({ logicalId, type }) => type === 'AWS::Lambda::Function' && logicalId.includes(`${id}Handler`),
  );
  if (found === undefined) throw new Error(`stack ${stack}: must have the function ${id}`);
  return found.physicalId;
}

/** Has publish-run drop the runs that are no longer stored from the history and from the page over all runs. */
export async function renewHistory(
  deps: Pick<typeof stacks, 'listStackResources'> & Pick<typeof functions, 'invokeFunction'>,
  stack: string,
  bucketName: string,
  runId: string,
): Promise<void> {
  const detail = { bucket: { name: bucketName }, object: { key: reportKey(runId) } };
  await deps.invokeFunction(await findFunction(deps, stack, 'PublishRun'), { id: `delete-run ${runId}`, detail });
}

/** Has close-months merge what has changed in closed months. */
export async function startClosing(
  deps: Pick<typeof stacks, 'listStackResources'> & Pick<typeof functions, 'sendEvent'>,
  stack: string,
): Promise<void> {
  await deps.sendEvent(await findFunction(deps, stack, 'CloseMonths'), {});
}
