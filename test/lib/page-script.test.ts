/** What is bundled with a handler that writes pages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { expect, test } from '@jest/globals';
import { BenchmarkFunction } from '../../lib/functions/benchmark-function';
import { pageScript } from '../../lambdas/shared/page-script';
import { PAGE_SCRIPT } from '../support/page-markup';

/** The folder of the bundle as it is deployed. */
function bundled(handler: string): string {
  const app = new App({ analyticsReporting: false, builtinCloudFormationValidation: false });
  const props = { description: handler, timeout: Duration.minutes(1), environment: {}, grants: [] };
  new BenchmarkFunction(new Stack(app, 'Stack'), handler, props);
  const { directory } = app.synth();
  const [folder] = readdirSync(directory).filter((name) => /^asset\.\w+$/.test(name));
  return join(directory, folder ?? 'no bundle');
}

test.each(['PublishRun', 'SummariseRun'])('%s reads the script of its pages beside its bundle', (handler) => {
  const folder = bundled(handler);
  expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).toContain('new URL("page-script.js",import.meta.url)');
  expect(pageScript(readFileSync(join(folder, 'page-script.js'), 'utf8'))).toEqual(PAGE_SCRIPT);
});

test('a handler that writes no page is bundled without the script', () => {
  expect(readdirSync(bundled('EmptyBuckets'))).toEqual(['index.mjs']);
});
