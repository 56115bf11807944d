/** What is bundled with a handler that writes pages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { expect, test } from '@jest/globals';
import { BenchmarkFunction } from '../../lib/functions/benchmark-function';
import { pageScript } from '../../lambdas/shared/page-script';
import { INDEX_SCRIPT, PAGE_SCRIPT } from '../support/page-markup';

/** The folder of the bundle as it is deployed. */
function bundled(handler: string): string {
  const app = new App({ analyticsReporting: false, builtinCloudFormationValidation: false });
  const props = { description: handler, timeout: Duration.minutes(1), environment: {}, grants: [] };
  new BenchmarkFunction(new Stack(app, 'Stack'), handler, props);
  const { directory } = app.synth();
  const [folder] = readdirSync(directory).filter((name) => /^asset\.\w+$/.test(name));
  return join(directory, folder ?? 'no bundle');
}

test.each([
  ['PublishRun', 'index-script.js', INDEX_SCRIPT],
  ['SummariseRun', 'report-script.js', PAGE_SCRIPT],
] as const)('%s reads the script of its page beside its bundle', (handler, file, script) => {
  const folder = bundled(handler);
  expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).toContain(`"${file}"`);
  expect(readdirSync(folder).sort()).toEqual([file, 'index.mjs'].sort());
  expect(pageScript(file, readFileSync(join(folder, file), 'utf8'))).toEqual(script);
});

test('a handler that writes no page is bundled without the script', () => {
  expect(readdirSync(bundled('EmptyBuckets'))).toEqual(['index.mjs']);
});
