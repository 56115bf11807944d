/** A view as Athena stores it in Glue, where Trino's Hive connector reads it too. */
import type { CfnTable } from 'aws-cdk-lib/aws-glue';
import type { ViewColumnType, ViewDefinition } from '../../domain/tables/views';

const TRINO_TYPES: Readonly<Record<ViewColumnType, string>> = {
  string: 'varchar',
  bigint: 'bigint',
  double: 'double',
  date: 'date',
  boolean: 'boolean',
  timestamp: 'timestamp(3)',
};

const VIEW_COMMENT = 'Presto View';

/**
 * @param sql the query that the view is
 * @param database where tables that the query names without a database are looked up
 */
export function storedView(view: ViewDefinition, sql: string, database: string): CfnTable.TableInputProperty {
  const definition = {
    originalSql: sql,
    catalog: 'awsdatacatalog',
    schema: database,
    columns: view.columns.map(({ name, type }) => ({ name, type: TRINO_TYPES[type] })),
  };
  return {
    name: view.name,
    // Trino's connector takes a description for the comment, and the comment is one of the marks of a view.
    description: VIEW_COMMENT,
    tableType: 'VIRTUAL_VIEW',
    parameters: { presto_view: 'true', comment: VIEW_COMMENT },
    storageDescriptor: {
      columns: view.columns.map(({ name, type, comment }) => ({ name, type, comment })),
      // Trino's connector wants one, and the CDK leaves out an empty one.
      serdeInfo: { parameters: { 'serialization.format': '1' } },
    },
    viewOriginalText: `/* Presto View: ${Buffer.from(JSON.stringify(definition)).toString('base64')} */`,
    viewExpandedText: '/* Presto View */',
  };
}
