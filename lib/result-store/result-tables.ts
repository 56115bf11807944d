import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { TABLES, type TableDefinition } from '../../domain/tables/columns';
import { VIEWS, type ViewDefinition, type ViewColumnType } from '../../domain/tables/views';
import { ATHENA_RESULTS_PREFIX } from '../../domain/workflow/object-keys';
import { fiveAtATime } from '../five-at-a-time';
import { kebabCase } from '../names';

/** Athena stops a query that scans more, e.g. because it names no partition. This much costs half a US dollar. */
const SCANNED_BYTES_CUTOFF = 100 * 1024 ** 3;
const QUERIES_DIRECTORY = join(__dirname, '../../queries');
const VIEWS_DIRECTORY = join(__dirname, '../../views');

export function tablePrefix(table: keyof typeof TABLES): string {
  return `${TABLES[table].name}/`;
}

/**
 * What SQL queries need: Glue tables partitioned by day, an Athena workgroup, and the contents of `views/` and
 * `queries/`.
 */
export class ResultTables extends Construct {
  readonly databaseName: string;
  readonly workGroupName: string;

  constructor(scope: Construct, id: string, props: { readonly bucket: IBucket }) {
    super(scope, id);
    const stack = Stack.of(this);
    // Glue lower-cases names. With a separator, `NetworkBenchmark` stays readable as `network_benchmark`.
    const name = kebabCase(stack.stackName);
    this.databaseName = name.replaceAll('-', '_');
    this.workGroupName = name;

    const database = new CfnDatabase(this, 'Database', {
      catalogId: stack.account,
      databaseInput: { name: this.databaseName, description: 'Results of network-benchmark' },
    });
    for (const table of Object.values(TABLES)) this.table(table, props.bucket).addResourceDependency(database);
    for (const view of Object.values(VIEWS)) this.view(view).addResourceDependency(database);

    const { encryptionKey } = props.bucket;
    const workGroup = new CfnWorkGroup(this, 'WorkGroup', {
      name: this.workGroupName,
      description: 'Queries over the results of network-benchmark',
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
        bytesScannedCutoffPerQuery: SCANNED_BYTES_CUTOFF,
        publishCloudWatchMetricsEnabled: true,
        resultConfiguration: {
          outputLocation: props.bucket.s3UrlForObject(ATHENA_RESULTS_PREFIX),
          encryptionConfiguration: encryptionKey
            ? { encryptionOption: 'SSE_KMS', kmsKey: encryptionKey.keyArn }
            : { encryptionOption: 'SSE_S3' },
        },
      },
    });
    const files = readdirSync(QUERIES_DIRECTORY).filter((entry) => entry.endsWith('.sql'));
    const queries = files.sort().map((file) => this.namedQuery(join(QUERIES_DIRECTORY, file)));
    for (const query of fiveAtATime(queries)) query.addResourceDependency(workGroup);
  }

  private table(table: TableDefinition, bucket: IBucket): CfnTable {
    const location = bucket.s3UrlForObject(`${table.name}/`);
    return new CfnTable(this, pascalCase(table.name), {
      catalogId: Stack.of(this).account,
      databaseName: this.databaseName,
      tableInput: {
        name: table.name,
        description: table.description,
        tableType: 'EXTERNAL_TABLE',
        partitionKeys: table.partitions.map(({ name, type, comment }) => ({ name, type, comment })),
        parameters: {
          EXTERNAL: 'TRUE',
          classification: 'json',
          'projection.enabled': 'true',
          ...projectionOf(table),
          'storage.location.template': `${location}${table.partitions.map(({ name }) => `${name}=\${${name}}/`).join('')}`,
        },
        storageDescriptor: {
          location,
          // The comments of `live_measurements` are those of `measurements`, and a template has room for them once.
          columns: table.columns.map(({ name, type, comment }) =>
            table === TABLES.live_measurements ? { name, type } : { name, type, comment },
          ),
          inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
          outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
          serdeInfo: { serializationLibrary: 'org.openx.data.jsonserde.JsonSerDe' },
        },
      },
    });
  }

  private view(view: ViewDefinition): CfnTable {
    const sql = readFileSync(join(VIEWS_DIRECTORY, `${view.name}.sql`), 'utf8');
    return new CfnTable(this, pascalCase(view.name), {
      catalogId: Stack.of(this).account,
      databaseName: this.databaseName,
      tableInput: storedView(view, sql, this.databaseName),
    });
  }

  private namedQuery(file: string): CfnNamedQuery {
    const queryString = readFileSync(file, 'utf8');
    const name = basename(file, '.sql');
    return new CfnNamedQuery(this, pascalCase(name), {
      name,
      description: headerComment(queryString),
      database: this.databaseName,
      workGroup: this.workGroupName,
      queryString,
    });
  }
}

function projectionOf({ partitions }: TableDefinition): Record<string, string> {
  const properties = partitions.flatMap(({ name, projection }) =>
    Object.entries(projection).map(([key, value]) => [`projection.${name}.${key}`, value] as const),
  );
  return Object.fromEntries(properties);
}

/** The maximum length of a named query's description in Athena. */
const DESCRIPTION_CHARACTERS = 1024;

/** The comment lines at the beginning of a query file, joined into one line. */
function headerComment(sql: string): string {
  const lines = sql.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^--\s?/, ''))
    .join(' ')
    .trim()
    .slice(0, DESCRIPTION_CHARACTERS);
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|[-_])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

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
 * Describes a view as Athena stores it in Glue, where Trino's Hive connector also reads it.
 * @param database where tables without a database in the SQL are looked up
 */
function storedView(view: ViewDefinition, sql: string, database: string): CfnTable.TableInputProperty {
  const definition = {
    // Nobody edits a stored view, and the template has no room for its comments and indentation.
    originalSql: sql.replace(/^ *--.*\n/gm, '').replace(/^ +/gm, ''),
    catalog: 'awsdatacatalog',
    schema: database,
    columns: view.columns.map(({ name, type }) => ({ name, type: TRINO_TYPES[type] })),
  };
  return {
    name: view.name,
    // Trino's connector uses the description as the comment, by which it recognises a view.
    description: VIEW_COMMENT,
    tableType: 'VIRTUAL_VIEW',
    parameters: { presto_view: 'true', comment: VIEW_COMMENT },
    storageDescriptor: {
      columns: view.columns.map(({ name, type, comment }) => ({ name, type, comment })),
      // Trino's connector requires a SerDe, and the CDK omits an empty one.
      serdeInfo: { parameters: { 'serialization.format': '1' } },
    },
    viewOriginalText: `/* Presto View: ${Buffer.from(JSON.stringify(definition)).toString('base64')} */`,
    viewExpandedText: '/* Presto View */',
  };
}
