/** How a function answers for a custom resource of the stack. */
import { errorText } from '../errors/aws-errors';

/**
 * The fields that are read of CloudFormation's request to a custom resource
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/crpg-ref.html).
 */
export interface CloudFormationRequest<Properties = unknown> {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly RequestId: string;
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly LogicalResourceId: string;
  /** The id of the existing custom resource; absent in a request to create it. */
  readonly PhysicalResourceId?: string;
  readonly ResourceProperties: Properties;
}

export type Outcome =
  | { readonly status: 'SUCCESS'; readonly data?: Readonly<Record<string, string>> }
  | { readonly status: 'FAILED'; readonly reason: string };

/** Without a response CloudFormation would wait an hour. With a failed one, the deployment fails and shows the error. */
export async function answerWith(
  answer: typeof answerRequest,
  request: CloudFormationRequest,
  work: () => Promise<Readonly<Record<string, string>> | undefined>,
): Promise<void> {
  const outcome = await work().then(
    (data): Outcome => ({ status: 'SUCCESS', data }),
    (error: unknown): Outcome => ({ status: 'FAILED', reason: errorText(error) }),
  );
  await answer(request, outcome);
}

/** A response is limited to 4,096 bytes, and a character of the reason takes up to three bytes, or six when escaped. */
const REASON_CHARACTERS = 500;

/** Sends the response to the URL in the request. @throws if CloudFormation rejects it; Lambda then retries twice */
export async function answerRequest(request: CloudFormationRequest, outcome: Outcome): Promise<void> {
  const { RequestId, StackId, LogicalResourceId, PhysicalResourceId = LogicalResourceId } = request;
  const reason = outcome.status === 'FAILED' ? outcome.reason.slice(0, REASON_CHARACTERS) : undefined;
  const Data = outcome.status === 'SUCCESS' ? outcome.data : undefined;
  const identity = { PhysicalResourceId, StackId, RequestId, LogicalResourceId };
  const answer = { Status: outcome.status, Reason: reason, Data, ...identity };
  // Send bytes, because the URL is signed for a request without a content type and `fetch` adds one to a string.
  const body = new TextEncoder().encode(JSON.stringify(answer));
  const response = await fetch(request.ResponseURL, { method: 'PUT', body });
  if (!response.ok) {
    throw new Error(`answer to CloudFormation: must be accepted, got ${response.status} ${await response.text()}`);
  }
}
