/** Which AWS calls a handler can make: what of the SDK is left in its bundle after tree shaking. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(__dirname, '../..');

export function handlerNames(): string[] {
  return readdirSync(join(ROOT, 'lambdas'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('handler.ts'))
    .map((file) => file.split('/')[0]!)
    .sort();
}

/** SDK package to IAM's prefix, where they differ. */
const IAM_PREFIXES: Record<string, string> = {
  sfn: 'states',
  'elastic-load-balancing-v2': 'elasticloadbalancing',
  'service-quotas': 'servicequotas',
};
/** Command to IAM's action, where they differ (Service Authorization Reference). */
const IAM_ACTIONS: Record<string, string> = {
  's3:ListObjectsV2': 's3:ListBucket',
  's3:DeleteObjects': 's3:DeleteObject',
  'lambda:Invoke': 'lambda:InvokeFunction',
};
/** Adapters that sign a call themselves, because the SDK that we have has no client for it. */
const SIGNED_CALLS: Record<string, string> = { 'lambdas/adapters/freetier.ts': 'freetier:GetAccountPlanState' };
/** In the bundle of every S3 client, sent only to buckets of S3 Express. */
const NEVER_SENT = ['s3:CreateSession'];

export async function handlerCalls(verbNoun: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'lambdas', verbNoun, 'handler.ts')],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    outfile: 'handler.mjs',
    logLevel: 'silent',
  });
  const [output] = Object.values(metafile.outputs);
  const calls = Object.entries(output!.inputs).flatMap(([file, { bytesInOutput }]) => {
    const match = /@aws-sdk\/client-([\w-]+)\/dist-\w+\/commands\/(\w+)Command\.js$/.exec(file);
    if (bytesInOutput === 0) return [];
    if (match === null) return SIGNED_CALLS[file] ?? [];
    const call = `${IAM_PREFIXES[match[1]!] ?? match[1]}:${match[2]}`;
    return [IAM_ACTIONS[call] ?? call];
  });
  return calls.filter((call) => !NEVER_SENT.includes(call)).sort();
}
