/** Synchronous calls of the stack's own functions. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { REPEATED_BY_SDK } from './retries';

const client = new LambdaClient(REPEATED_BY_SDK);

/** @throws an error of the function's own name when the function failed */
export async function invokeFunction<T>(functionName: string, payload: unknown): Promise<T> {
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
  return JSON.parse(text === '' ? 'null' : text) as T;
}
