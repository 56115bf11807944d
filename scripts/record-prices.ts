/**
 * `npm run prices -- REGION` records the list prices of a Region's instances, with the AWS CLI's credentials (they need
 * `pricing:GetProducts`). Forecasts on this machine have them at once, a deployment from its next update on.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../domain/maths/elements';
import { INSTANCE_TYPE } from '../domain/forecast/prices/price-table';

const USAGE = 'usage: npm run prices -- REGION, for example eu-central-1';
const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;
const TABLE = join(__dirname, '../domain/forecast/prices/instance-prices.json');

/** A type has some sixty products; these attributes leave the one that EC2 charges for an instance on demand. */
const OF_INSTANCE = {
  operatingSystem: 'Linux',
  tenancy: 'Shared',
  preInstalledSw: 'NA',
  capacitystatus: 'Used',
  operation: 'RunInstances',
};

interface Product {
  readonly product: { readonly attributes: Readonly<Record<string, string>> };
  readonly terms: { readonly OnDemand?: Readonly<Record<string, { readonly priceDimensions: Dimensions }>> };
}
type Dimensions = Readonly<Record<string, { readonly unit: string; readonly pricePerUnit: { readonly USD?: string } }>>;

/** The CLI asks for every page. The API is in few Regions, and has the prices of all. */
function products(region: string): Product[] {
  const wanted = { regionCode: region, ...OF_INSTANCE };
  const filters = Object.entries(wanted).map(([field, value]) => `Type=TERM_MATCH,Field=${field},Value=${value}`);
  const request = ['pricing', 'get-products', '--region', 'us-east-1', '--service-code', 'AmazonEC2', '--filters'];
  const answer = execFileSync('aws', [...request, ...filters, '--output', 'json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (JSON.parse(answer) as { PriceList: string[] }).PriceList.map((text) => JSON.parse(text) as Product);
}

/** A block of reserved capacity is listed as an instance, at no price. */
const isOnDemand = ({ product: { attributes } }: Product) => (attributes.marketoption ?? 'OnDemand') === 'OnDemand';

function hourlyUsd({ terms: { OnDemand = {} } }: Product): number[] {
  return Object.values(OnDemand)
    .flatMap(({ priceDimensions }) => Object.values(priceDimensions))
    .filter(({ unit }) => unit === 'Hrs')
    .map(({ pricePerUnit: { USD } }) => Number(USD))
    .filter((usd) => usd > 0);
}

function record(region: string): void {
  const offered = groupBy(products(region).filter(isOnDemand), ({ product }) => product.attributes.instanceType ?? '');
  const listed = [...offered].filter(([type]) => INSTANCE_TYPE.test(type));
  const found = listed.map(([type, offers]) => ({ type, prices: [...new Set(offers.flatMap(hourlyUsd))] }));
  const priced = found.flatMap(({ type, prices: [usd, ...others] }) =>
    usd === undefined || others.length > 0 ? [] : [[type, usd] as const],
  );
  if (priced.length === 0) throw new Error(`REGION: must be one whose instances AWS lists in USD, got ${region}`);
  const table = JSON.parse(readFileSync(TABLE, 'utf8')) as Record<string, unknown>;
  table[region] = {
    date: new Date().toISOString().slice(0, 10),
    source: 'AWS Price List API (GetProducts of AmazonEC2): on demand, Linux, shared tenancy',
    instanceUsdPerHour: Object.fromEntries(priced.sort(([one], [other]) => (one < other ? -1 : 1))),
  };
  writeFileSync(TABLE, `${JSON.stringify(table, undefined, 2)}\n`);
  for (const { type, prices } of found.filter(({ prices: { length } }) => length !== 1)) {
    console.log(
      `${type} has no price: the list must have one above 0 USD an hour, got ${prices.join(' and ') || 'none'}`,
    );
  }
  console.log(`${priced.length} types of ${region}, ${TABLE}`);
}

const [region = '', ...others] = process.argv.slice(2);
if (others.length > 0 || !REGION.test(region)) {
  console.error(
    `prices: REGION: must be one Region's name, got ${JSON.stringify([region, ...others].join(' '))}\n\n${USAGE}`,
  );
  process.exitCode = 2;
} else {
  record(region);
}
