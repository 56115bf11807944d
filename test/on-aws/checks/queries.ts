/** The checks of Athena. They ask after a whole run, because an empty store answers every query with no rows. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RunAnswer } from '../../../domain/model/answer';
import { ANSWER_COLUMNS, answerRows } from '../../../domain/tables/answer-columns';
import { summaryKey } from '../../../domain/workflow/object-keys';
import { errorText } from '../../../lambdas/errors/aws-errors';
import { linesOf, startAndWait, type Check, type CheckContext } from '../check';

const QUERIES = readdirSync(join(__dirname, '../../../queries'))
  .filter((name) => name.endsWith('.sql'))
  .map((name) => basename(name, '.sql'));
/** Those that have rows as soon as one run with iperf3 and sockperf is complete, whatever it has measured. */
const WITH_ROWS = [
  'atlas',
  'comparison-of-instance-types',
  'latency-by-path',
  'latency-percentiles',
  'live-throughput',
  'round-trip-by-placement',
  'series-of-one-measurement',
  'throttle-onsets-by-type',
  'throttle-screen',
  'throughput-by-streams',
];
/** Athena bills at least 10 MB a query, at 5 USD per TB; rounded up. */
const QUERY_USD = 0.0001;
const QUERY_SECONDS = 120;

/** @throws with the query's name when it fails */
async function rowsOf({ account, stack }: CheckContext, name: string, sql: string) {
  const query = { sql, database: stack.database, workGroup: stack.workgroup, deadlineSeconds: QUERY_SECONDS };
  return account.runAthenaQuery(query).catch((thrown: unknown) => {
    throw new Error(`${name}: ${errorText(thrown)}`);
  });
}

/**
 * `live-throughput` and `series-of-one-measurement` are of the run and the measurement that their parameters name, by
 * default of ones that the account does not have.
 */
const asked = (sql: string, runId: string, measurementId: string) =>
  sql
    .replace(/'[^']*' AS run_id/, `'${runId}' AS run_id`)
    .replace(/'[^']*' AS measurement_id/, `'${measurementId}' AS measurement_id`);

/** @returns how many measurements of a run are in the table */
async function storedMeasurements(context: CheckContext, runId: string): Promise<number> {
  const sql =
    `SELECT count(*) AS stored FROM measurements WHERE run_id = '${runId}' ` +
    "AND day >= current_date - interval '1' day";
  const [row] = await rowsOf(context, 'measurements of the run', sql);
  return Number(row?.stored);
}

export const queriesRun: Check = {
  id: 'queries-run',
  title: 'Athena runs the named queries, and they show what a run has measured',
  matters:
    '`npm run test:athena` shows that Trino runs them, and what they return. Athena itself remains: its workgroup, its ' +
    'permission to read the bucket, its limits, and whether a constant of `params` is a static condition to it, which the ' +
    'injected partitions of `measurement_samples` need.',
  provenBy:
    'The workgroup has a saved query for each file of `queries/`, and each ends as `SUCCEEDED`. After a complete run, ' +
    `\`measurements\` has a row for each of its measurements, and these queries have rows: ${WITH_ROWS.join(', ')}.`,
  run: 'smoke',
  ownUsd: (QUERIES.length + 1) * QUERY_USD,
  ownMinutes: 2,
  byHand: [
    startAndWait('smoke-1', 'smoke', 420),
    'for id in $(aws athena list-named-queries --work-group "$(out WorkgroupName)" --query NamedQueryIds --output text); do',
    '  aws athena get-named-query --named-query-id "$id" --query NamedQuery.Name --output text',
    '  sql=$(aws athena get-named-query --named-query-id "$id" --query NamedQuery.QueryString --output text |',
    "    sed \"s/'[^']*' AS run_id/'smoke-1' AS run_id/\")",
    '  run=$(aws athena start-query-execution --work-group "$(out WorkgroupName)" --query-string "$sql" \\',
    '    --query-execution-context "Database=$(out DatabaseName)" --query QueryExecutionId --output text)',
    '  sleep 8; aws athena get-query-execution --query-execution-id "$run" --query QueryExecution.Status.State --output text',
    '  # The first row is the header.',
    '  aws athena get-query-results --query-execution-id "$run" --query "length(ResultSet.Rows)"',
    'done',
  ].join('\n'),
  look: async (context) => {
    const { account, stack, runs } = context;
    const { name: runId, status } = await runs.ended('smoke');
    const measurements = (await runs.summary('smoke', 0))?.measurements ?? [];
    const measured = measurements.length;
    const throughput = measurements.find(({ kind }) => kind === 'throughput')?.measurementId ?? '';
    const stored = await storedMeasurements(context, runId);
    const rowCounts = new Map<string, number>();
    for (const { name, sql } of await account.namedQueries(stack.workgroup)) {
      rowCounts.set(name, (await rowsOf(context, name, asked(sql, runId, throughput))).length);
    }
    const missing = QUERIES.filter((name) => !rowCounts.has(name));
    const empty = WITH_ROWS.filter((name) => rowCounts.get(name) === 0);
    const problems = [
      ...(measured === 0 ? [`the run ended as ${status} and has measured nothing`] : []),
      ...missing.map((name) => `no saved query ${name}`),
      ...empty.map((name) => `${name} must have rows`),
    ];
    const counts = [...rowCounts].map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
    return {
      proven: problems.length === 0 && stored === measured,
      call: `athena StartQueryExecution in the workgroup ${stack.workgroup}`,
      evidence: [...problems, `${stored} of ${measured} measurements stored`, `rows of the queries: ${counts}`].join(
        '; ',
      ),
    };
  },
};

/** Lists are compared by their lengths, because Athena writes their rows without quotes. */
const ANSWER_VALUES = ANSWER_COLUMNS.map(({ name, type }) => ({
  name,
  sql: type.startsWith('array') ? `cardinality(${name}) AS ${name}` : name,
  textOf: (value: unknown) => (Array.isArray(value) ? String(value.length) : String(value)),
  isNumber: type === 'double',
}));

/** @returns what each row of the view must be, by column; NULL is undefined */
function expectedAnswers(answer: RunAnswer | undefined): (string | undefined)[][] {
  return (answerRows(answer) ?? []).map((row) =>
    ANSWER_VALUES.map(({ name, textOf }) =>
      row[name] === undefined || row[name] === null ? undefined : textOf(row[name]),
    ),
  );
}

export const answersAreQueried: Check = {
  id: 'answers-are-queried',
  title: 'The view `answers` has what the run found, with the figures of its summary',
  matters:
    "The answer is a list of rows within the run's row. `npm run test:athena` shows that Trino takes it apart; here it is " +
    'what Lambda wrote and Athena reads.',
  provenBy:
    'After a complete run, the rows of `answers` and the `answer` of `summary.json` are the same, column by column.',
  run: 'smoke',
  ownUsd: QUERY_USD,
  ownMinutes: 1,
  byHand: [
    startAndWait('smoke-1', 'smoke', 480),
    'run=$(aws athena start-query-execution --work-group "$(out WorkgroupName)" --query-execution-context "Database=$(out DatabaseName)" \\',
    `  --query-string "SELECT * FROM answers WHERE run_id = 'smoke-1'" --query QueryExecutionId --output text)`,
    'sleep 8; aws athena get-query-results --query-execution-id "$run" --query "ResultSet.Rows[].Data[].VarCharValue"',
    linesOf(summaryKey('smoke-1'), '"answer"', 40),
  ].join('\n'),
  look: async (context) => {
    const { stack, runs } = context;
    const { name: runId, status } = await runs.ended('smoke');
    const expected = expectedAnswers((await runs.summary('smoke', 0))?.answer);
    const columns = ANSWER_VALUES.map(({ sql }) => sql).join(', ');
    const sql =
      `SELECT ${columns} FROM answers WHERE run_id = '${runId}' ` +
      "AND day >= current_date - interval '1' day ORDER BY position";
    const rows = await rowsOf(context, 'answers of the run', sql);
    const differences = expected.flatMap((values, index) =>
      ANSWER_VALUES.flatMap(({ name, isNumber }, column) => {
        const [wanted, got] = [values[column], rows[index]?.[name]];
        const isSame =
          isNumber && wanted !== undefined && got !== undefined ? Number(got) === Number(wanted) : got === wanted;
        return isSame ? [] : [`row ${index + 1}, ${name}: ${got ?? 'NULL'} instead of ${wanted ?? 'NULL'}`];
      }),
    );
    return {
      proven: expected.length > 0 && rows.length === expected.length && differences.length === 0,
      call: `athena StartQueryExecution in the workgroup ${stack.workgroup}`,
      evidence: [
        `${rows.length} rows of the view for ${expected.length} in the summary of a run that is ${status}`,
        ...differences.slice(0, 3),
      ].join('; '),
    };
  },
};
