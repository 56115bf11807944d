import { Aws, aws_ssm as ssm, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { buildDocument, DOCUMENT_NAMES } from './build-document';

/** The Command documents that run on the hosts, deployed as `<stack name>-<document>`. */
export class MeasurementDocuments extends Construct {
  /** Deployed name by our noun, e.g. `names['measure-iperf3']`. */
  readonly names: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const names = DOCUMENT_NAMES.map((name) => [name, this.deploy(name)] as const);
    this.names = Object.fromEntries(names);
  }

  private deploy(name: string): string {
    const document = new ssm.CfnDocument(this, name, {
      name: `${Stack.of(this).stackName}-${name}`,
      documentType: 'Command',
      documentFormat: 'JSON',
      targetType: '/AWS::EC2::Instance',
      // The default would replace a changed document, which its name forbids.
      updateMethod: 'NewVersion',
      content: buildDocument(name).content,
    });
    return document.ref;
  }

  /** ARNs of all of them, for whoever may send them. */
  get arns(): string[] {
    return DOCUMENT_NAMES.map(
      (name) => `arn:${Aws.PARTITION}:ssm:${Aws.REGION}:${Aws.ACCOUNT_ID}:document/${this.names[name]}`,
    );
  }
}
