import { aws_ssm as ssm, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { buildDocument, DOCUMENT_NAMES } from './build-document';

/** The Command documents that run on the hosts. Each is deployed as `<stack name>-<name of its folder>`. */
export class MeasurementDocuments extends Construct {
  /** Deployed names by the names of the folders, for example `names['measure-iperf3']`. */
  readonly names: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.names = Object.fromEntries(DOCUMENT_NAMES.map((name) => [name, this.deploy(name)]));
  }

  private deploy(name: string): string {
    const document = new ssm.CfnDocument(this, name, {
      name: `${Stack.of(this).stackName}-${name}`,
      documentType: 'Command',
      documentFormat: 'JSON',
      targetType: '/AWS::EC2::Instance',
      // By default CloudFormation would replace a changed document, which fails for a document with a fixed name.
      updateMethod: 'NewVersion',
      content: buildDocument(name),
    });
    return document.ref;
  }
}
