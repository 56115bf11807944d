/** CloudTrail, which keeps 90 days of an account's calls: who started an execution. */
import { CloudTrailClient, paginateLookupEvents } from '@aws-sdk/client-cloudtrail';
import { answered, REPEATED_BY_SDK } from './answers';
import { executionArn } from './sfn';

const client = new CloudTrailClient(REPEATED_BY_SDK);
/** An account may make two calls a second, which other programs need as well. A page has at most 50 events. */
const MAX_PAGES = 4;

/** The fields that are read of an event, which CloudTrail returns as JSON. */
interface TrailEvent {
  readonly userIdentity?: { readonly arn?: string; readonly invokedBy?: string };
  readonly responseElements?: { readonly executionArn?: string } | null;
}

/** The execution is looked for among the starts of this time before its plan was stored, and of a moment after it. */
const LOOK_BACK_MILLISECONDS = 120_000;
const CLOCK_MILLISECONDS = 5_000;

/**
 * @param plannedAt when the execution had begun
 * @returns the ARN of the user or role session; undefined where CloudTrail doesn't have the call yet
 */
export async function findStarter(stateMachineArn: string, name: string, plannedAt: Date): Promise<string | undefined> {
  const wanted = executionArn(stateMachineArn, name);
  const pages = paginateLookupEvents(
    { client },
    {
      LookupAttributes: [{ AttributeKey: 'EventName', AttributeValue: 'StartExecution' }],
      StartTime: new Date(plannedAt.getTime() - LOOK_BACK_MILLISECONDS),
      EndTime: new Date(plannedAt.getTime() + CLOCK_MILLISECONDS),
    },
  );
  let pageCount = 0;
  for await (const { Events = [] } of pages) {
    const events = Events.map(
      ({ CloudTrailEvent: text }) => JSON.parse(answered(text, 'LookupEvents.CloudTrailEvent')) as TrailEvent,
    );
    const found = events.find(({ responseElements }) => responseElements?.executionArn === wanted);
    if (found !== undefined) return found.userIdentity?.arn ?? found.userIdentity?.invokedBy;
    pageCount += 1;
    if (pageCount === MAX_PAGES) break;
  }
  return undefined;
}
