/** The deployment accepts the settings that docs/deploy.md keeps in cdk.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readContext } from '../../lib/context';

test("the document's context for cdk.json is read as it says", () => {
  const document = readFileSync(join(__dirname, '../../docs/deploy.md'), 'utf8');
  const [, json = ''] = /```json\n(\{\n {2}"context": .*?\n\})\n```/s.exec(document) ?? [];
  const { context } = JSON.parse(json) as { context: Record<string, unknown> };

  expect(readContext(context)).toMatchObject({
    zones: { names: context.zones },
    publicAddresses: false,
    hostVpcs: context.hostVpcs,
    tags: context.tags,
  });
});
