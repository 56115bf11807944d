/**
 * What README says, sentence by sentence, and how each is put to the test on AWS. `test/docs/claims.test.ts` fails for a
 * sentence that is missing here: add it to `CLAIMS` with the checks that show it, or to `NOT_ABOUT_AWS`.
 */
import type { CheckRow } from './walk';

export interface Claim {
  /** Ids of the checks that show it; all of them must be proven. */
  readonly checks?: readonly string[];
  /** The part of docs/on-aws.md under "What no program decides" that shows the rest, or all of it. */
  readonly byHand?: string;
}

const PRICE: Claim = { byHand: 'The price was right' };

export const CLAIMS: Readonly<Record<string, Claim>> = {
  'Most instance types have a network that bursts: full speed while credits last, then a fraction of it.': {
    checks: ['throttle-witnesses-agree'],
  },
  'EC2 Network Bench launches fresh instance pairs, runs iperf3, sockperf and other tools between them, stores every second of the results in S3 while the tools run, and works out the verdict itself:':
    {
      checks: [
        'documents',
        'every-document-runs',
        'run-completes',
        'rows-are-queried-while-measuring',
        'report-shows-the-run',
      ],
    },
  'A verdict with evidence says what happened and why (network credits, packet rate, lost packets, a limit on the way, CPU or eight other causes), or that the cause is not known.':
    {
      checks: ['throttle-witnesses-agree', 'lack-of-cpu-credits-is-steal'],
      byHand: 'Causes that EC2 shows to nobody on demand',
    },
  'Change point, burst, baseline, bucket, refill and hold times have 95 % intervals.': {
    checks: ['throttle-witnesses-agree', 'lack-of-cpu-credits-is-steal'],
  },
  "The network card's counters, the published bandwidth and both hosts' CPU load are independent evidence.": {
    checks: ['throttle-witnesses-agree', 'lack-of-cpu-credits-is-steal'],
  },
  'You can measure throughput, packets per second, round trips, HTTP, S3, and latency under load, over private or public addresses, a load balancer, a peering or your own route, in placement groups, and with ENA Express.':
    {
      checks: [
        'run-completes',
        'arm-completes',
        'older-type-completes',
        'round-trips-and-routes-complete',
        'loads-are-measured',
        's3-urls-stay-secret',
        'host-is-quiet',
        'connection-tracking-is-set',
        'public-path-is-closed-to-others',
        'load-balancer-forwards',
        'udp-idle-timeout-is-fixed',
        'datagrams-through-load-balancer',
        'peering-is-active',
        'peering-completes',
        'own-route-is-probed',
        'hosts-are-placed-as-planned',
        'ena-express-carries',
      ],
    },
  'You see a price before the launch and the actual price afterwards, and can query everything ever measured with SQL, even during a run.':
    {
      checks: [
        'plan-is-checked',
        'price-is-in-the-forecast',
        'queries-run',
        'answers-are-queried',
        'rows-are-queried-while-measuring',
      ],
      ...PRICE,
    },
  'Nothing is left running, thanks to five lines of defence that are tested with random faults.': {
    checks: ['stop-leaves-nothing', 'stop-during-launch-leaves-nothing', 'sweeper-removes-what-has-expired'],
  },
  'Each report begins with the answer to "Which instance type?":': { checks: ['report-shows-the-run'] },
  'To run a plan (what to check first), start the state machine `NetworkBenchmark-network-benchmark` with it, in the console or with the AWS CLI:':
    {
      checks: ['run-completes'],
    },
  "The plan `first-run.json` runs two t3.micro for ten minutes, which AWS's free plan and a quota of 4 vCPUs allow.": {
    checks: ['run-completes'],
  },
  'It costs about 0.04 USD (November 2026).': { checks: ['price-is-in-the-forecast'], ...PRICE },
  'Next, `burst-30-minutes-m5.2xlarge.json` shows the end of a burst.': {
    checks: ['throttle-witnesses-agree'],
  },
  "The execution's output has the verdicts and links to the report and to `index.html`, an atlas of everything ever measured.":
    { checks: ['report-shows-the-run', 'index-lists-the-run'] },
  'An execution fails if anything measurable was left unmeasured.': { checks: ['lost-host-fails-the-run'] },
  'A bad plan is refused before anything is launched, with a list of all its problems.': {
    checks: ['bad-plan-is-refused'],
  },
  'A plan can limit the price (`"maxCostUsd": 20`), compare its run with an earlier one (`"compareTo": "previous"`), and pass or fail by what you expect.':
    { checks: ['bad-plan-is-refused', 'runs-are-compared', 'expectations-fail-a-run'] },
  '`npx cdk destroy` removes everything but the results.': {
    byHand: 'Zones are chosen and added to, and a stack goes with its results',
  },
  'A release can be deployed with the AWS CLI or from your own CDK app.': {
    byHand: 'A release is deployed from its folder',
  },
  'Deploying explains settings, rights, and what is kept when the stack is deleted; Runs that report themselves explains schedules, mails and alarms.':
    { checks: ['host-writes-its-own-prefix-only', 'starter-is-known'], byHand: 'A run reports itself' },
  "In Athena, choose the stack's workgroup.": { checks: ['queries-run'] },
  'The _Saved queries_ tell you when types throttle, how large their buckets are, which type is the cheapest that holds a rate, and what runs cost.':
    { checks: ['queries-run'] },
  'The views `verdicts` and `series` answer most other questions.': {
    checks: ['queries-run'],
  },
  "You pay for instances by the second and for traffic, here at us-east-1's list prices of November 2026 (other Regions).":
    PRICE,
  'Traffic over private addresses is free within a zone, and costs 0.02 USD per GB across zones: 45 USD for 30 minutes at 10 Gbit/s.':
    PRICE,
  'A public IPv4 address costs 0.005 USD an hour.': PRICE,
  "Step Functions, Lambda, S3 and Athena together cost two cents for a pair's 30 minutes.": PRICE,
  'An idle stack costs 0.57 USD a month, with a schedule 1.14 (table).': PRICE,
};

/** The other sentences, by the reason for which no check on AWS shows them. */
export const NOT_ABOUT_AWS: Readonly<Record<string, readonly string[]>> = {
  'It asks, or names another document.': [
    'How fast is the network between two EC2 instances, how long does the burst last, and what is left after it?',
    'Query the results, even during a run, or run your own plan (the lab):',
    'There are example plans and a JSON schema.',
    '`npm run prove -- --profile P` tests what only a real account can prove, for about a dollar.',
    'Architecture · Private hosts and your own subnets · Runbook · Decisions · Contributing · Changelog.',
    'Results vary and are not guaranteed by AWS.',
    'Apache-2.0.',
  ],
  'Others measured it on EC2 and published it; the figures are tested against their recordings.': [
    'When they run out, for example after 17 minutes, a transfer suddenly slows down.',
    'AWS publishes neither the size of the credit bucket nor when it will be empty.',
    'Chart: 9.69 Gbit/s for 1,056 seconds, just below the published peak of 10, then 2.51 Gbit/s, which is the published baseline',
    '| type | baseline Gbit/s | burst Gbit/s | burst lasts s | bucket Gbit |',
    '| c5.large | 0.750 | 9.69 | 278 (273 to 284) | 2 483 |',
    '| c5.2xlarge | 2.50 | 9.69 | 1 059 (1 046 to 1 085) | 7 606 |',
    '| c5.4xlarge | 5.00 | 9.69 | 2 293 (2 226 to 2 306) | 10 717 |',
    'Chart and table show public recordings of EC2 (Uta et al., NSDI 2020), analysed by this project.',
    "A report's first screen: six types with burst, sustained rate, hold times, bucket, price and Gbit/s per dollar",
  ],
  'It is about this machine, and the tests of the lab and of the commands show it.': [
    'The whole service runs on your machine, without an AWS account, with the same template, state machines and tools, over a link that is really throttled.',
    '`npm run lab` and `npm test` run on Debian 12 or Ubuntu 24.04 with Node 22 or 24, and on other systems in a container.',
    'Both install what they need into the checkout (0.9 GB), or print a line for an administrator to run.',
    '`npm run lab` writes a report, and its output ends with a table (here shortened):',
    '`npm run types -- c5` prints this table for any type, with the source of each figure.',
    '`npm run analyse` gives the same verdict as a run, for existing output of iperf3 and sockperf.',
    'With `--series`, it prints a prediction for each series (how often it is right).',
  ],
};

/** What of README is not shown by checks with these answers, each with the reason. */
export function claimsNotShown(rows: readonly Pick<CheckRow, 'id' | 'verdict'>[]): string[] {
  const proven = new Set(rows.filter(({ verdict }) => verdict === 'proven').map(({ id }) => id));
  return Object.entries(CLAIMS).flatMap(([says, { checks = [], byHand }]) => {
    const missing = checks.filter((id) => !proven.has(id));
    const lacks = [
      ...(missing.length === 0 ? [] : [`not proven: ${missing.join(', ')}`]),
      ...(byHand === undefined ? [] : [`by hand: "${byHand}"`]),
    ];
    return lacks.length === 0 ? [] : [`${says} (${lacks.join('; ')})`];
  });
}
