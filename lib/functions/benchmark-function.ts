import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type IRole, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Function, type IFunction, Architecture, Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { LOG_RETENTION_DAYS } from '../../domain/model/service-facts';
import { type Grant, GrantedRole } from '../grants';
import { kebabCase } from '../names';

const LAMBDAS_DIRECTORY = join(__dirname, '../../lambdas');

/** `research/bench-bundles.ts` uses the same options. */
export const BUNDLING = {
  format: OutputFormat.ESM,
  mainFields: ['module', 'main'],
  target: 'node24',
  minify: true,
  // The bundle contains the SDK in the version that we pin and test, not the one that the runtime happens to have.
  externalModules: [],
  // The SDK's CommonJS parts load Node's own modules with `require`, which an ES module does not have. The imported
  // name is long because the minifier does not see this line and gives short names to other variables.
  banner:
    "import{createRequire as createRequireOfBundle}from'node:module';" +
    'const require=createRequireOfBundle(import.meta.url);',
  // A handler that writes pages reads their script beside its bundle: `lambdas/shared/page-script.ts`.
  commandHooks: {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (root, folder) => [
      ...['report', 'index'].map(
        (page) =>
          `if grep -q ${page}-script.js '${folder}/index.mjs'; then ` +
          `bash '${root}/browser/report/build.sh' ${page} > '${folder}/${page}-script.js'; fi`,
      ),
    ],
  },
} satisfies BundlingOptions;

export interface BenchmarkFunctionProps {
  readonly description: string;
  readonly timeout: Duration;
  /** @default 512 */
  readonly memoryMebibytes?: number;
  readonly environment: Readonly<Record<string, string>>;
  /** The AWS calls that the handler makes. */
  readonly grants: readonly Grant[];
  /** Receives an event that the handler has failed to handle three times. @default such an event is dropped */
  readonly failedEvents?: IQueue;
}

/** A handler's function with its own role and log group. Its id is the verb and noun of its folder in `lambdas/`. */
export class BenchmarkFunction extends Construct {
  readonly handler: Function;
  readonly role: IRole;
  readonly logGroup: ILogGroup;

  constructor(scope: Construct, id: string, props: BenchmarkFunctionProps) {
    super(scope, id);
    const { failedEvents } = props;
    this.logGroup = new LogGroup(this, 'Log', {
      retention: LOG_RETENTION_DAYS.functions,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new GrantedRole(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: props.description,
      grants: [
        ...props.grants,
        { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [this.logGroup.logGroupArn] },
        ...(failedEvents === undefined ? [] : [{ actions: ['sqs:SendMessage'], resources: [failedEvents.queueArn] }]),
      ],
    });
    const folder = join(LAMBDAS_DIRECTORY, kebabCase(id));
    this.role = role;
    this.handler = new NodejsFunction(this, 'Handler', {
      description: props.description,
      entry: join(folder, 'handler.ts'),
      // The package for other CDK apps has the bundle in place of its sources.
      code: existsSync(join(folder, 'index.mjs')) ? Code.fromAsset(folder) : undefined,
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: props.timeout,
      memorySize: props.memoryMebibytes ?? 512,
      environment: { ...props.environment },
      logGroup: this.logGroup,
      // The role has all grants already.
      role: role.withoutPolicyUpdates(),
      deadLetterQueue: failedEvents,
      bundling: BUNDLING,
      // An execution that began before an update still invokes the version of its definition. Deleting the function
      // deletes all of its versions.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
  }

  /** What a definition invokes: the handler as it is deployed with this definition, also after a later deployment. */
  get version(): IFunction {
    return this.handler.currentVersion;
  }
}
