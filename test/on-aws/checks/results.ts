/** Checks of what a run shows: its rows while it measures, its report, the page over all runs, its price. */
import { ErrorName } from '../../../domain/workflow/error-names';
import { INDEX_KEY, pairsPrefix, reportKey, summaryKey } from '../../../domain/workflow/object-keys';
import type { RunOutcome } from '../../../domain/workflow/contracts';
import { resultFinder } from '../../../lambdas/result-store/reader';
import { linesOf, startAndWait, STATUS, type Check, type CheckContext } from '../check';

const PAGE_SECONDS = 180;
const TRAIL_SECONDS = 900;
const LOOK_SECONDS = 3;

/** @returns a page of the bucket, once it holds a text, or as it is when the time is over */
async function pageWith({ account, stack, wait }: CheckContext, key: string, text: string): Promise<string> {
  for (let waited = 0; ; waited += LOOK_SECONDS) {
    const isThere = (await account.listableBucket(stack.bucket).listObjects(key)).includes(key);
    const page = isThere ? Buffer.from(await account.readableBucket(stack.bucket).getObject(key)).toString() : '';
    if (page.includes(text) || waited >= PAGE_SECONDS) return page;
    await wait(LOOK_SECONDS);
  }
}

const dollars = (usd: number | null) => (usd === null ? 'unknown' : `${usd.toFixed(4)} USD`);
const page = (key: string) => `${startAndWait('smoke-1', 'smoke', 480)}\n${linesOf(key, 'smoke-1', 0)}`;

/** The last of all, because CloudTrail has a call some minutes later. */
export const starterCheck: Check = {
  id: 'starter-is-known',
  title: 'CloudTrail tells who started a run',
  matters: 'Only AWS makes the event, and says in it to which execution a start has led.',
  provenBy: `Within ${TRAIL_SECONDS / 60} minutes, LookupEvents has the start of the run by an ARN.`,
  run: 'smoke',
  byHand: `${startAndWait('smoke-1', 'smoke', 900)}\naws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=StartExecution --query 'Events[].[EventTime,Username]' --output text`,
  look: async ({ account, stack, runs, wait }) => {
    const { runId, createdAt } = await runs.plan('smoke');
    for (let waited = 0; ; waited += LOOK_SECONDS) {
      const starter = await account.findStarter(stack.runStateMachineArn, runId, new Date(createdAt));
      if (starter !== undefined || waited >= TRAIL_SECONDS) {
        return {
          proven: starter?.startsWith('arn:') === true,
          call: `cloudtrail LookupEvents EventName=StartExecution around ${createdAt}`,
          evidence: starter ?? `no start of ${runId} after ${waited} s`,
        };
      }
      await wait(LOOK_SECONDS);
    }
  },
};

/** It needs the run that `measuringChecks` watch to be measuring. */
export const liveRowsCheck: Check = {
  id: 'rows-are-queried-while-measuring',
  title: 'The seconds of a measurement are in the store, and Athena reads them, while it measures',
  matters: 'The seconds go through an upload, an event of S3, a queue and a function before Athena can see them.',
  provenBy: '`live_samples` has rows of the run within three minutes of its first object, and the run still measures.',
  run: 'watched',
  ownUsd: 0.01,
  ownMinutes: 1,
  byHand: [
    startAndWait('watched-1', 'burst-30-minutes-m5.2xlarge', 240),
    'aws athena start-query-execution --work-group "$(out WorkgroupName)" --query-execution-context "Database=$(out DatabaseName)" \\',
    `  --query-string "SELECT count(*) FROM live_samples WHERE run_id = 'watched-1' AND day >= current_date - interval '1' day"`,
  ].join('\n'),
  look: async ({ account, stack, runs, wait }) => {
    await runs.measuring('watched');
    const runId = await runs.start('watched');
    const sql = `SELECT count(*) AS stored FROM live_samples WHERE run_id = '${runId}' AND day >= current_date - interval '1' day`;
    const query = { sql, database: stack.database, workGroup: stack.workgroup, deadlineSeconds: 120 };
    for (let waited = 0; ; waited += LOOK_SECONDS) {
      const [row] = await account.runAthenaQuery(query);
      const stored = Number(row?.stored);
      const { status } = await runs.execution('watched');
      if (stored > 0 || waited >= PAGE_SECONDS) {
        return {
          proven: stored > 0 && status === 'RUNNING',
          call: `athena StartQueryExecution in the workgroup ${stack.workgroup}`,
          evidence: `${stored} rows of ${runId}, which is ${status}`,
        };
      }
      await wait(LOOK_SECONDS);
    }
  },
};

export const resultChecks: Check[] = [
  {
    id: 'report-shows-the-run',
    title: 'The report shows what was measured, and the output of the execution leads to it',
    matters: "The report is drawn in the function's memory and time, and read through the console's link.",
    provenBy:
      'The output names `report.html` and has a verdict for each measurement; the page is a whole one, with the run, ' +
      'each measurement and the types, and without `undefined` or `NaN` in its text.',
    run: 'smoke',
    byHand: page('reports/smoke-1/report.html'),
    look: async (context) => {
      const { name, output } = await context.runs.endedWithOutput('smoke');
      const { report = '', links, verdicts = [] } = JSON.parse(output ?? '{}') as Partial<RunOutcome>;
      const measurements = (await context.runs.summary('smoke', 0))?.measurements ?? [];
      const html = await pageWith(context, reportKey(name), '</html>');
      const text = html.replaceAll(/<(script|style)\b.*?<\/\1>/gs, ' ').replaceAll(/<[^<>]*>/g, ' ');
      const wanted = [name, ...measurements.flatMap((each) => [each.measurementId, each.clientType])];
      const problems = [
        ...(html.startsWith('<!doctype html>') && html.trimEnd().endsWith('</html>') ? [] : ['no whole page']),
        ...wanted.filter((each) => !text.includes(each)).map((each) => `the page lacks ${each}`),
        ...['undefined', 'NaN'].filter((word) => text.includes(word)).map((word) => `the page has ${word}`),
        ...(report.endsWith(`/${reportKey(name)}`) ? [] : [`the output names ${report || 'no report'}`]),
        ...(links?.reportConsole.includes(encodeURIComponent(reportKey(name))) === true
          ? []
          : ['no link to the report']),
        ...(links?.indexConsole.includes(INDEX_KEY) === true ? [] : ['no link to the index']),
        ...measurements
          .filter(({ measurementId }) => !verdicts.some((line) => line.includes(measurementId)))
          .map(({ measurementId }) => `the output has no verdict of ${measurementId}`),
        ...(measurements.length > 0 ? [] : ['nothing measured']),
      ];
      return {
        proven: problems.length === 0,
        call: `s3 GetObject ${context.stack.bucket}/${reportKey(name)}`,
        evidence: [`${html.length} characters, ${measurements.length} measurements`, ...new Set(problems)].join('; '),
      };
    },
  },
  {
    id: 'index-lists-the-run',
    title: 'The page over all runs has the run within three minutes of its end',
    matters: "S3's event about the report starts publish-run, and S3 may begin its events minutes after a deployment.",
    provenBy: '`index.html` links to the report of the run.',
    run: 'smoke',
    ownMinutes: 1,
    byHand: page('index.html'),
    look: async (context) => {
      const { name } = await context.runs.ended('smoke');
      const link = `href="${reportKey(name)}"`;
      const html = await pageWith(context, INDEX_KEY, link);
      return {
        proven: html.includes(link),
        call: `s3 GetObject ${context.stack.bucket}/${INDEX_KEY}`,
        evidence: `${html.length} characters, ${html.includes(link) ? 'with' : 'without'} a link to the report of ${name}`,
      };
    },
  },
  {
    id: 'price-is-in-the-forecast',
    title: 'A run has its actual price, which is within the forecast',
    matters: 'EC2 tells when a host was launched and gone, in its own words; the bill itself is days away.',
    provenBy: 'The summary has a price above 0 and at most the upper bound, without a warning that it is unknown.',
    run: 'smoke',
    byHand: `${startAndWait('smoke-1', 'smoke', 480)}\n${linesOf(summaryKey('smoke-1'), 'Usd', 0)}`,
    look: async ({ runs, stack }) => {
      const { name } = await runs.ended('smoke');
      const { costUsd = null, upperUsd = null, expectedUsd = null } = (await runs.summary('smoke', 0)) ?? {};
      return {
        proven: costUsd !== null && upperUsd !== null && costUsd > 0 && costUsd <= upperUsd,
        call: `s3 GetObject ${stack.bucket}/${summaryKey(name)}`,
        evidence: `${dollars(costUsd)}; forecast ${dollars(expectedUsd)}, at most ${dollars(upperUsd)}`,
      };
    },
  },
  {
    id: 'bad-plan-is-refused',
    title: 'A bad plan is refused with all of its problems before anything is launched',
    matters: "EC2's own list of types decides what exists, and the price limit is held against its own answers.",
    provenBy: `The execution is \`FAILED\` with \`${ErrorName.InvalidPlan}\`, whose cause names the type and the limit; it has summary and report, and no launch was tried.`,
    run: 'refused',
    byHand: [
      `python3 -c 'import json; plan = json.load(open("examples/plans/smoke.json")); plan["pairs"].append({"clientType": "t3.nosuch", "serverType": "t3.nosuch"}); ` +
        `print(json.dumps(plan | {"maxCostUsd": 0.0001}))' >bad.json`,
      'arn=$(aws stepfunctions start-execution --state-machine-arn "$(out RunStateMachineArn)" --name bad-1 ' +
        '--input file://bad.json --query executionArn --output text); sleep 60',
      STATUS,
      'aws logs filter-log-events --log-group-name "/aws/vendedlogs/states/$(out RunStateMachineArn | cut -d: -f7)" ' +
        "--query 'events[].message' --output text",
    ].join('\n'),
    look: async ({ account, stack, runs }) => {
      const { name, status, error, cause = '' } = await runs.ended('refused');
      const { inventory, launches } = resultFinder(account.listableBucket(stack.bucket));
      const isTried = (await launches(name)).isTried('p0001');
      const { hasSummary, hasReport } = await inventory(name);
      const named = ['plan.pairs[1].clientType', 't3.nosuch', 'plan.maxCostUsd'].filter((each) => cause.includes(each));
      return {
        proven:
          status === 'FAILED' &&
          error === ErrorName.InvalidPlan &&
          named.length === 3 &&
          hasSummary &&
          hasReport &&
          !isTried,
        call: `states DescribeExecution ${name}; s3 ListObjects ${stack.bucket}/${pairsPrefix(name)}`,
        evidence:
          `${status} ${error ?? ''}, names ${named.join(', ') || 'neither problem'}; ${isTried ? 'a' : 'no'} launch, ` +
          `${hasSummary ? 'a' : 'no'} summary, ${hasReport ? 'a' : 'no'} report`,
      };
    },
  },
];
