/** Synchronous calls of the stack's own functions. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { REPEATED_BY_SDK } from './retries';

const client = new LambdaClient(REPEATED_BY_SDK);

/** @throws when the function failed, with the name that its error had */
export async function invokeFunction(functionName: string, payload: unknown): Promise<unknown> {
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(payload)) }),
  );
  const text = Buffer.from(Payload ?? []).toString('utf8');
  if (FunctionError !== undefined) {
    const thrown = JSON.parse(text === '' ? '{}' : text) as { errorType?: string; errorMessage?: string };
    const error = new Error(`${functionName}: ${thrown.errorMessage ?? FunctionError}`);
    error.name = thrown.errorType ?? FunctionError;
    throw error;
  }
  return JSON.parse(text === '' ? 'null' : text) as unknown;
}
