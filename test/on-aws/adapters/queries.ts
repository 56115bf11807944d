/** Athena: the saved queries of a workgroup. */
import { AthenaClient, GetNamedQueryCommand, paginateListNamedQueries } from '@aws-sdk/client-athena';
import { allOf, answered, REPEATED_BY_SDK } from '../../../lambdas/adapters/answers';

const client = new AthenaClient(REPEATED_BY_SDK);

export interface NamedQuery {
  readonly name: string;
  readonly sql: string;
}

export async function namedQueries(workGroup: string): Promise<NamedQuery[]> {
  const ids = await allOf(paginateListNamedQueries({ client }, { WorkGroup: workGroup }), (page) => page.NamedQueryIds);
  const queries: NamedQuery[] = [];
  for (const NamedQueryId of ids) {
    const { NamedQuery } = await client.send(new GetNamedQueryCommand({ NamedQueryId }));
    const { Name, QueryString } = answered(NamedQuery, `GetNamedQuery ${NamedQueryId}`);
    queries.push({
      name: answered(Name, 'GetNamedQuery.Name'),
      sql: answered(QueryString, 'GetNamedQuery.QueryString'),
    });
  }
  return queries;
}
