/** Invokes the stack's own functions. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { REPEATED_BY_SDK } from './answers';

const client = new LambdaClient(REPEATED_BY_SDK);

/** @throws an error with the name of the function's error if the function failed */
export async function invokeFunction(functionName: string, payload: unknown): Promise<unknown> {
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(payload)) }),
  );
  const text = Payload?.transformToString() ?? '';
  const answer = JSON.parse(text === '' ? 'null' : text) as unknown;
  if (FunctionError === undefined) return answer;
  const { errorType, errorMessage } = (answer ?? {}) as { errorType?: string; errorMessage?: string };
  const error = new Error(`${functionName}: ${errorMessage ?? FunctionError}`);
  throw Object.assign(error, { name: errorType ?? FunctionError });
}

/** Sends an event to a function as EventBridge does: Lambda retries the invocation if it fails. */
export async function sendEvent(functionName: string, event: unknown): Promise<void> {
  const Payload = Buffer.from(JSON.stringify(event));
  await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
}
