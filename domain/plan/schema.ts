/**
 * The benchmark plan: what a user asks for. The JSON Schema for editors (`schemas/benchmark-plan.schema.json`) is
 * generated from this schema (`npm run schema`), and a test compares the two.
 */
import * as z from 'zod';
import { CONDITIONS } from '../model/conditions';
import { ENA_EXPRESS_FRAME_BYTES, JUMBO_FRAME_BYTES } from '../model/ec2-facts';
import { EXPECTABLE_FIGURE_NAMES, EXPECTABLE_FIGURES, type ExpectableFigureName } from '../model/expectation';
import type { HostRole } from '../model/host-role';
import { INSTANCE_TYPE, priceOverrides } from '../forecast/prices/price-table';
import { measurementPlan } from '../tools/catalogue';
import { RUN_ID_PATTERN } from '../workflow/identifiers';
import { userTags } from '../workflow/user-tags';
import { IMAGE_ID, PLAN_NAME, SUBNET_ID, ZONE_ID } from './text-forms';

const instanceType = z.string().regex(INSTANCE_TYPE).describe('EC2 instance type, e.g. "c5.xlarge"');

const cpuCredits = (role: HostRole) =>
  CONDITIONS[`${role}CpuCredits`].schema
    .optional()
    .describe(
      `CPU credit mode of the ${role}, if it is a T type; the default is EC2's: standard for T2, unlimited for other T types`,
    );

const form = (pattern: RegExp, words: string) => z.string().regex(pattern).optional().describe(words);

const host = (role: HostRole) =>
  z
    .strictObject({
      subnetId: form(
        SUBNET_ID,
        `Id of the subnet of this account to launch the ${role} in; the path of the pair is then "own"`,
      ),
      zoneId: form(
        ZONE_ID,
        `Id of the zone to launch the ${role} in, e.g. use1-az4; a zone has the same id in every account`,
      ),
      imageId: form(IMAGE_ID, `Image of the ${role}: an AMI id, or the name of an SSM parameter that holds one`),
      publicAddress: z
        .boolean()
        .optional()
        .describe(`Whether the ${role} gets a public address; the default is a setting of the deployment`),
    })
    .optional()
    .describe(`Where the ${role} is launched, and from which image; the service chooses whatever is left out`);

const pairFields = z.strictObject({
  clientType: instanceType,
  serverType: instanceType,
  zoneRelation: CONDITIONS.zoneRelation.schema
    .optional()
    .describe(
      'Whether both hosts are in one zone; the default follows from the subnets or zones that the plan names for both, ' +
        'otherwise it is same_zone',
    ),
  placement: CONDITIONS.placement.schema.default('none').describe('Placement group strategy, one group per pair'),
  path: CONDITIONS.path.schema
    .optional()
    .describe(
      'Route from client to server: by private or public address, through a Network Load Balancer or VPC peering, or ' +
        '"own", the route that the account has between two subnets; the default is "own" if the plan names a subnet, ' +
        'otherwise "private"',
    ),
  enaExpress: CONDITIONS.enaExpress.schema
    .default('off')
    .describe(
      'ENA Express on neither host, on the client alone, or on both; it has an effect only if both hosts have it',
    ),
  enaExpressUdp: CONDITIONS.enaExpressUdp.schema.default(false).describe('Whether ENA Express carries UDP too'),
  mtuBytes: CONDITIONS.mtuBytes.schema
    .optional()
    .describe(
      `MTU of both interfaces; the default is ${JUMBO_FRAME_BYTES}, or ${ENA_EXPRESS_FRAME_BYTES} for all pairs of the plan ` +
        'if any pair has ENA Express on, so that pairs with and without ENA Express can be compared',
    ),
  clientCpuCredits: cpuCredits('client'),
  serverCpuCredits: cpuCredits('server'),
  client: host('client'),
  server: host('server'),
});

/** A pair in which any field may be missing, without defaults that follow from other fields. */
export const pairFieldsPlan = pairFields.partial();

/** The readable fields of a pair that is not valid as a whole, without defaults. */
export type PairFields = Partial<PairPlan>;
type WrittenPair = z.infer<typeof pairFields>;

const isPlaced = (host: WrittenPair[HostRole]) => host?.subnetId !== undefined || host?.zoneId !== undefined;
/** Whether the plan names a subnet, so that the route between the hosts is the account's own. */
export const namesSubnet = ({ client, server }: Pick<WrittenPair, HostRole>) =>
  client?.subnetId !== undefined || server?.subnetId !== undefined;

/** If both hosts are pinned, the zone relation stays undefined, because the plan does not contain their zones. */
export const pairPlan = pairFields.transform(
  ({ clientType, serverType, zoneRelation, placement, path, mtuBytes, ...others }) => {
    const areBothPlaced = isPlaced(others.client) && isPlaced(others.server);
    return {
      clientType,
      serverType,
      zoneRelation: zoneRelation ?? (areBothPlaced ? undefined : 'same_zone'),
      placement,
      path: path ?? (namesSubnet(others) ? 'own' : 'private'),
      mtuBytes: mtuBytes ?? JUMBO_FRAME_BYTES,
      ...others,
    };
  },
);

/** Above any figure: a bucket of the largest types has 1e14 bits. */
const MAX_FIGURE = 1e18;
const MAX_PERCENT_ABOVE = 10_000;

const limits = z.strictObject({
  min: z.number().min(0).max(MAX_FIGURE).optional(),
  max: z.number().min(0).max(MAX_FIGURE).optional(),
  maxPercentBelow: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe('How far the figure may be below that of the run in compareTo, in percent'),
  maxPercentAbove: z
    .number()
    .min(0)
    .max(MAX_PERCENT_ABOVE)
    .optional()
    .describe('How far the figure may be above that of the run in compareTo, in percent'),
});

const figures = Object.fromEntries(
  EXPECTABLE_FIGURE_NAMES.map((name) => {
    const { name: words, unit } = EXPECTABLE_FIGURES[name];
    return [name, limits.optional().describe(`${words}, in ${unit}`)];
  }),
) as Record<ExpectableFigureName, z.ZodOptional<typeof limits>>;

/** An entry of `plan.expect`; `check-expectations.ts` checks more than its form. */
export const expectation = z
  .strictObject({
    type: z.string().optional().describe('Limits apply only to pairs with a host of this instance type'),
    pair: z
      .int()
      .min(0)
      .max(999)
      .optional()
      .describe("Limits apply only to this one of the plan's pairs, counted from 0"),
    measurement: z
      .int()
      .min(0)
      .max(49)
      .optional()
      .describe("Limits apply only to this one of the plan's measurements, counted from 0"),
    ...figures,
  })
  .describe('Limits of figures; each figure has the name that it has in summary.json');

export const benchmarkPlan = z.strictObject({
  $schema: z.string().optional().describe('Schema for editors; the service ignores it'),
  name: z.string().regex(PLAN_NAME).describe('What this plan is for; shown in reports'),
  pairs: z.array(pairPlan).min(1).max(1000),
  measurements: z
    .array(measurementPlan)
    .min(1)
    .max(50)
    .describe('Measurements to make on every pair; latency is measured before throughput'),
  repetitions: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe(
      'How many times each measurement is made, each time on a fresh pair, because a used pair has spent its network credits',
    ),
  concurrency: z.int().min(1).max(40).default(4).describe('How many pairs are measured at the same time'),
  order: z
    .enum(['random', 'as_written'])
    .default('random')
    .describe('Order in which pairs are measured: drawn at random for each run, or as the plan lists them'),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .describe('Seed of the random order; by default it is derived from the name of the run'),
  dryRun: z.boolean().default(false).describe('Only plans and prices the run: nothing is launched'),
  maxCostUsd: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('Rejects the run when it could cost more than this'),
  maxInstances: z
    .int()
    .min(2)
    .max(2000)
    .optional()
    .describe('Rejects the run when it would have more hosts than this at the same time'),
  compareTo: z
    .string()
    .regex(RUN_ID_PATTERN)
    .optional()
    .describe(
      'Earlier run of the same account to compare with: the name of the run, or "previous" for the last complete run ' +
        'whose plan has the same name',
    ),
  expect: z.array(expectation).min(1).max(100).optional().describe('What the run is expected to measure'),
  failOn: z
    .enum(['expectations'])
    .optional()
    .describe('With "expectations", the execution of a complete run also fails if an expectation is not met'),
  prices: priceOverrides.optional(),
  tags: userTags.optional().describe('Tags for all resources that the run creates, e.g. {"CostCenter": "42"}'),
});

export type BenchmarkPlan = z.infer<typeof benchmarkPlan>;
export type PairPlan = z.infer<typeof pairPlan>;
