/** An AWS endpoint of the test's own, for the SDK to talk to: it keeps what it was asked and says what it is told. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AwsRequest {
  readonly path: string;
  /** `X-Amz-Target` of the JSON protocols, without its version. */
  readonly action: string;
  readonly body: string;
  /** Region and service that the request is signed for. */
  readonly scope: string;
  /** The version that the object must have. */
  readonly ifMatch?: string;
}

export interface AwsAnswer {
  readonly status: number;
  readonly body: string;
}

export class AwsEndpoint {
  readonly requests: AwsRequest[] = [];
  answer: (request: AwsRequest) => AwsAnswer = () => ({ status: 500, body: '' });
  private readonly server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (part: Buffer) => (body += part.toString('utf8')));
    incoming.on('end', () => {
      const target = String(incoming.headers['x-amz-target'] ?? '');
      const [, scope = ''] =
        /Credential=[^/]+\/\d+\/([\w-]+\/[\w-]+)\//.exec(incoming.headers.authorization ?? '') ?? [];
      const { url: path = '', headers } = incoming;
      const request = { path, action: target.split('.').at(-1)!, body, scope, ifMatch: headers['if-match'] };
      this.requests.push(request);
      const { status, body: text } = this.answer(request);
      const type = text.startsWith('<') ? 'text/xml' : 'application/x-amz-json-1.1';
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
    });
  });

  /** Every SDK client that is made after this one talks to it. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-test-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** What was asked in the query protocol, which EC2 and Elastic Load Balancing speak. */
  queries(): Record<string, string>[] {
    return this.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  }
}

/**
 * An endpoint for the tests of a file, which has been asked nothing at the beginning of each, and the adapters that talk to
 * it. They are loaded when it is there, because an SDK client takes its endpoint when it is made.
 */
export function withAwsEndpoint<Adapter extends object>(load: () => Promise<Adapter>) {
  const aws = new AwsEndpoint();
  const adapter = {} as Adapter;
  beforeAll(async () => {
    await aws.start();
    Object.assign(adapter, await load());
  });
  beforeEach(() => {
    aws.requests.length = 0;
  });
  afterAll(() => {
    aws.stop();
  });
  return { aws, adapter };
}
