/** The price columns of `measurements`, and all columns of the table `pairs`. */
import { CONDITIONS } from '../model/conditions';
import { PRICE_PARTS, totalUsd, type MeasurementCost, type PairCost, type PriceSplit } from '../model/cost';
import type { PlannedPair } from '../model/planned-run';
import { snakeCase, spaced } from '../text/format';
import { column, columnsOfSettings, fieldColumns, type ColumnOf, type FieldColumn } from './column';

export const IS_DISPLACED_COMMENT =
  'Whether its hosts, for want of room, are in other subnets than what it is compared with; NULL in older rows';

const HOURLY = {
  clientHourlyUsd: ['double', "Price of an hour of the client's type"],
  serverHourlyUsd: ['double', "Price of an hour of the server's type"],
} satisfies Record<string, FieldColumn>;

export const PRICE_LIST_COMMENT = 'Whose prices its USD rest on, and of which days; NULL in older rows';
export const REGION = {
  region: ['string', 'AWS Region of its hosts; NULL in older rows'],
} satisfies Record<string, FieldColumn>;
const PRICE_LIST = { priceList: ['string', PRICE_LIST_COMMENT] } satisfies Record<string, FieldColumn>;

/** These columns are NULL until the run ends. */
export const MEASUREMENT_COST_COLUMNS = fieldColumns((cost: MeasurementCost) => cost, {
  expectedUsd: ['double', 'Price as forecast before the launch; divided like cost_usd'],
  costUsd: [
    'double',
    'Actual price: its own traffic, and its share of what the pair cost, by the seconds that each measurement took',
  ],
  hostsUsd: ['double', 'Its share of the hosts, with disks, public addresses and CPU credits; part of cost_usd'],
  trafficUsd: ['double', 'Its own traffic between the hosts; part of cost_usd'],
  ...HOURLY,
  hostSeconds: ['double', 'Its share of the seconds of both hosts together'],
  trafficBytes: ['bigint', "Sent by both hosts, by their interfaces' counters or else the tool's figures"],
  warnings: ['array<string>', 'Why a price is unknown or not exact', 'cost_warnings'],
  ...PRICE_LIST,
});

/** The facts of a row of `pairs`. */
export interface PairFacts {
  readonly runId: string;
  readonly planName: string;
  readonly region?: string;
  readonly pair: Omit<PlannedPair, 'measurements'>;
  readonly status: 'complete' | 'failed' | 'not_applicable';
  readonly reason: string | null;
  readonly cost: PairCost;
}

function priceColumns(
  prefix: string,
  words: string,
  splitOf: (facts: PairFacts) => PriceSplit | null,
): ColumnOf<PairFacts>[] {
  const partColumns = PRICE_PARTS.map((part) => {
    const name = snakeCase(part);
    return column(`${prefix}_${name}_usd`, 'double', `${words}: ${spaced(name)}`, (facts: PairFacts) => {
      return splitOf(facts)?.[part];
    });
  });
  const sum = column(`${prefix}_usd`, 'double', `${words}: the sum of its parts`, (facts: PairFacts) => {
    const split = splitOf(facts);
    return split && totalUsd(split);
  });
  return [sum, ...partColumns];
}

const costColumns = (fields: Readonly<Partial<Record<keyof PairCost, FieldColumn>>>) =>
  fieldColumns(({ cost }: PairFacts) => cost, fields);

export const PAIR_COLUMNS: readonly ColumnOf<PairFacts>[] = [
  ...fieldColumns((facts: PairFacts) => facts, {
    runId: ['string', 'Name of the execution'],
    planName: ['string', 'Name of the plan'],
  }),
  ...fieldColumns(({ pair }: PairFacts) => pair, {
    pairId: ['string', 'Pair within the run, p0001'],
    repetition: ['bigint', 'From 1; each on a fresh pair'],
    planPairIndex: ['bigint', "Which of the plan's pairs, from 0"],
    clientType: ['string', 'Instance type of the client'],
    serverType: ['string', 'Instance type of the server'],
  }),
  ...columnsOfSettings(CONDITIONS, ({ pair }: PairFacts) => pair),
  ...costColumns({
    clientZone: ['string', 'Availability zone of the client'],
    serverZone: ['string', 'Availability zone of the server'],
  }),
  ...fieldColumns((facts: PairFacts) => facts, {
    status: ['string', 'complete, failed or not_applicable'],
    reason: ['string', 'Why the status is not complete'],
  }),
  ...costColumns({
    launchedAt: ['string', 'When its hosts were launched, ISO 8601 UTC'],
    goneAt: ['string', 'When its hosts were terminated, up to which EC2 charges, ISO 8601 UTC'],
    hostSeconds: ['bigint', 'Charged seconds of all its hosts together, at least 60 each, refused launches included'],
    ...HOURLY,
    trafficBytes: ['bigint', 'Sent by both hosts in all its measurements'],
  }),
  ...priceColumns('expected', 'Price as forecast before the launch', ({ cost }) => cost.expected),
  ...priceColumns('upper', 'The most that was forecast', ({ cost }) => cost.upper).slice(0, 1),
  ...priceColumns('cost', 'Actual price', ({ cost }) => cost.cost),
  ...costColumns({
    warnings: ['array<string>', 'Why a price is unknown or not exact', 'cost_warnings'],
    clientZoneId: ['string', 'Id of the zone of the client, the same in every account'],
    serverZoneId: ['string', 'Id of the zone of the server, the same in every account'],
    isDisplaced: ['boolean', IS_DISPLACED_COMMENT],
    clientSubnetId: ['string', 'Subnet of the client'],
    serverSubnetId: ['string', 'Subnet of the server'],
    clientVpcId: ['string', 'VPC of the client'],
    serverVpcId: ['string', 'VPC of the server'],
    clientImageId: ['string', 'AMI of the client'],
    serverImageId: ['string', 'AMI of the server'],
    ...PRICE_LIST,
  }),
  ...fieldColumns((facts: PairFacts) => facts, REGION),
];
