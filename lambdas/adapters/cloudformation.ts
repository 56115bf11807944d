/**
 * Answers to CloudFormation from the function of a custom resource: JSON, put to the URL that the request brings.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/crpg-ref.html
 */

/** The part of a request that is used here. */
export interface CloudFormationRequest<Properties = unknown> {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly RequestId: string;
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly LogicalResourceId: string;
  /** Missing in a request to create. */
  readonly PhysicalResourceId?: string;
  readonly ResourceProperties: Properties;
}

export type Outcome = { readonly status: 'SUCCESS' } | { readonly status: 'FAILED'; readonly reason: string };

/** The whole answer has at most 4,096 bytes; a character of the reason has at most three, or six when it is escaped. */
const REASON_CHARACTERS = 500;

/** @throws when CloudFormation does not take the answer; Lambda then repeats the whole invocation twice */
export async function answerRequest(request: CloudFormationRequest, outcome: Outcome): Promise<void> {
  const { RequestId, StackId, LogicalResourceId, PhysicalResourceId = LogicalResourceId } = request;
  const reason = outcome.status === 'FAILED' ? outcome.reason.slice(0, REASON_CHARACTERS) : undefined;
  const answer = { Status: outcome.status, Reason: reason, PhysicalResourceId, StackId, RequestId, LogicalResourceId };
  // The URL is signed for a request without a content type, which a body of text would bring.
  const body = new TextEncoder().encode(JSON.stringify(answer));
  const response = await fetch(request.ResponseURL, { method: 'PUT', body });
  if (!response.ok) {
    throw new Error(`answer to CloudFormation: must be accepted, got ${response.status} ${await response.text()}`);
  }
}
