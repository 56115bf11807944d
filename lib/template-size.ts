import { statSync } from 'node:fs';
import type { App } from 'aws-cdk-lib';
import { ContextError } from './context';

/** CloudFormation's quota "Template size in bytes" for a template that is in S3. */
const MAX_TEMPLATE_BYTES = 1_000_000;

/** @throws ContextError for what CloudFormation would refuse only after all assets are uploaded; the CDK only warns */
export function checkTemplateSizes(app: App): void {
  for (const { stackName, templateFullPath } of app.synth().stacks) {
    const { size } = statSync(templateFullPath);
    if (size > MAX_TEMPLATE_BYTES) {
      throw new ContextError(`template of ${stackName}: must have at most ${MAX_TEMPLATE_BYTES} bytes, got ${size}`);
    }
  }
}
