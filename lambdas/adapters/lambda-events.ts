/** Asynchronous calls of the stack's own functions. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { REPEATED_BY_SDK } from './retries';

const client = new LambdaClient(REPEATED_BY_SDK);

/** Hands an event to a function as EventBridge does: Lambda repeats it when the function fails. */
export async function sendEvent(functionName: string, event: unknown): Promise<void> {
  await client.send(
    new InvokeCommand({
      FunctionName: functionName,
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify(event)),
    }),
  );
}
