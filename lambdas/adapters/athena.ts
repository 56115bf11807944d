/** Athena: runs one SELECT and waits for its rows, up to a deadline. */
import {
  AthenaClient,
  GetQueryExecutionCommand,
  paginateGetQueryResults,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { allOf, answered, REPEATED_BY_SDK } from './answers';

const client = new AthenaClient(REPEATED_BY_SDK);

const POLL_MILLISECONDS = 500;

export interface AthenaQuery {
  readonly sql: string;
  readonly database: string;
  readonly workGroup: string;
  readonly deadlineSeconds: number;
}

/** A row by column name, with values as Athena writes them; NULL is undefined. */
export type AthenaRow = Readonly<Record<string, string | undefined>>;

/** @throws if the query fails, is cancelled, or misses its deadline; it is then stopped so that it costs no more */
export async function runAthenaQuery(query: AthenaQuery): Promise<AthenaRow[]> {
  const started = await client.send(
    new StartQueryExecutionCommand({
      QueryString: query.sql,
      QueryExecutionContext: { Database: query.database },
      WorkGroup: query.workGroup,
    }),
  );
  const QueryExecutionId = answered(started.QueryExecutionId, 'StartQueryExecution.QueryExecutionId');
  const deadline = Date.now() + query.deadlineSeconds * 1000;
  for (;;) {
    const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId }));
    const { State: state, StateChangeReason: reason = 'no reason given' } = QueryExecution?.Status ?? {};
    if (state === 'SUCCEEDED') break;
    if (state === 'FAILED' || state === 'CANCELLED') throw new Error(`Athena query: ${state.toLowerCase()}: ${reason}`);
    if (Date.now() > deadline) {
      await client.send(new StopQueryExecutionCommand({ QueryExecutionId }));
      throw new Error(`Athena query: must end within ${query.deadlineSeconds} s, was ${state ?? 'in no state'} then`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
  const results = await allOf(
    paginateGetQueryResults({ client }, { QueryExecutionId }),
    (page) => page.ResultSet?.Rows,
  );
  // The first row of the first page is the header.
  const [header, ...rows] = results.map(({ Data = [] }) => Data.map((cell) => cell.VarCharValue));
  return rows.map((cells) => Object.fromEntries((header ?? []).map((name, index) => [name ?? '', cells[index]])));
}
