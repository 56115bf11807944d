/** `npm run types -- TYPE…` prints what is known of instance types without measuring them. */
import { knownFigures } from '../domain/forecast/known-figures';
import { ASSUMED_REGION, instancePriceSource, pricesOf } from '../domain/forecast/prices/price-table';
import { typesText } from '../domain/terminal/type-table';
import { printable, printableLines } from '../domain/text/printable';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { runCommand, terminalWidth, type CommandLine, type Refuse } from './command-line';
import { measuredBuckets, STACK_USAGE } from './measured-buckets';
import { namedTypes, PUBLISHED_SOURCE } from './published-types';

const USAGE = `usage: npm run --silent types -- TYPE… [--stack NAME] [--region REGION] [--json]

Prints what is known of instance types, without an account: baseline and peak, how long the burst lasts, bucket, refill,
limits of one flow, network cards, ENA Express and price, each with its source and date. TYPE is an instance type such as
c5.xlarge, or a family such as c5.
${STACK_USAGE}
--region     the Region of the prices, as npm run prices fetched them (default: ${ASSUMED_REGION})
--json       prints one JSON object: types, each with instanceType, recordedAs and figures. A figure has value (null if there is none, or
             if only low and high are known) and source, and absent (none or unknown), note and measurementCount if they apply
Exit code: 0; 2 when the command line is wrong or the stack can't be read.`;

const OPTIONS = {
  stack: { type: 'string' },
  region: { type: 'string' },
  json: { type: 'boolean' },
} as const;

async function printTypes({ values, positionals: names }: CommandLine<typeof OPTIONS>, refuse: Refuse) {
  if (names.length === 0) return refuse('must be given a TYPE, got none', USAGE);
  const region = values.region ?? ASSUMED_REGION;
  let types;
  try {
    const named = namedTypes(names);
    const earlier = await measuredBuckets(values.stack, named);
    const sources = { published: PUBLISHED_SOURCE, prices: instancePriceSource(region), earlier };
    types = named.map((type) => ({ type, figures: knownFigures(type, pricesOf(region).prices, sources) }));
  } catch (thrown) {
    return refuse(errorMessage(thrown));
  }
  const json = {
    types: types.map(({ type: { instanceType, recordedAs }, figures }) => ({ instanceType, recordedAs, figures })),
  };
  console.log(values.json ? printable(JSON.stringify(json)) : printableLines(typesText(types, terminalWidth())));
  return 0;
}

void runCommand({ name: 'types', usage: USAGE, options: OPTIONS, run: printTypes });
