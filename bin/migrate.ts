/** `npm run migrate -- BUCKET` moves the rows of the layout before folding into today's tables. */
import { parseArgs } from 'node:util';
import { printable } from '../domain/text/printable';
import { deletableBucket, listableBucket, readableBucket, writableBucket } from '../lambdas/adapters/s3';
import { errorText } from '../lambdas/shared/error-text';
import { migrate } from './migration';
import { optionProblem } from './option-problem';

const USAGE = `usage: npm run migrate -- BUCKET [--profile P] [--endpoint-url URL]

Moves the rows that were stored before runs were folded (one object per measurement) into today's tables, run by run.
Deploy the new version first. It may be interrupted and repeated at any time, and prints a line for every run. Until then,
queries find no samples of that run. While it is being moved, and after an interruption until the repetition, rows of its
measurements may be in the table measurements twice. Runs that have not ended, and whatever is not known, are left as they
are, with the reason.
--profile P           the profile of the AWS CLI's configuration
--endpoint-url URL    where AWS is, if not at its own addresses
Exit code: 0 when nothing of the old layout is left; 1 when something is; 2 when nothing could be looked at.`;

/** @returns the exit code, as the usage says */
async function main(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const options = { profile: text, 'endpoint-url': text, help: { type: 'boolean', short: 'h' } } as const;
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (thrown) {
    return refuse(optionProblem(thrown, options), USAGE);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    return refuse(`must be given one BUCKET, got ${positionals.join(', ') || 'none'}`, USAGE);
  }
  // The SDK reads both with the first call.
  if (values.profile !== undefined) process.env.AWS_PROFILE = values.profile;
  if (values['endpoint-url'] !== undefined) process.env.AWS_ENDPOINT_URL = values['endpoint-url'];
  const bucket = {
    ...readableBucket(name),
    ...listableBucket(name),
    ...writableBucket(name),
    ...deletableBucket(name),
  };
  try {
    const isWhole = await migrate(bucket, (line) => {
      console.log(printable(line));
    });
    return isWhole ? 0 : 1;
  } catch (thrown) {
    return refuse(`s3://${name}: ${errorText(thrown)}`);
  }
}

function refuse(reason: string, usage?: string): number {
  console.error([`migrate: ${printable(reason)}`, usage ?? []].flat().join('\n\n'));
  return 2;
}

void main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
