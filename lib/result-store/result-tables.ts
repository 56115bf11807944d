import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { typeTree, type TypeTree } from '../../domain/tables/column';
import { TABLES, type TableDefinition } from '../../domain/tables/columns';
import { VIEWS, type ViewColumn, type ViewDefinition } from '../../domain/tables/views';
import { ATHENA_RESULTS_PREFIX, CLOSED_TABLES } from '../../domain/workflow/object-keys';
import { fiveAtATime } from '../five-at-a-time';
import { kebabCase } from '../names';

/** Athena stops a query that scans more, e.g. because it names no partition. This much costs half a US dollar. */
const SCANNED_BYTES_CUTOFF = 100 * 1024 ** 3;
const QUERIES_DIRECTORY = join(__dirname, '../../queries');
const VIEWS_DIRECTORY = join(__dirname, '../../views');

export function tablePrefix(table: keyof typeof TABLES): string {
  return TABLES[table].prefix;
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
    const tables = mapValues(TABLES, (table) => this.table(table, props.bucket));
    for (const table of Object.values(tables)) table.addResourceDependency(database);
    const views = mapValues(VIEWS, (view) => this.view(view));
    for (const view of Object.values(views)) view.addResourceDependency(database);
    // Until version 0.3.0 each was a table over the open rows, which stays one until the tables behind the view exist.
    for (const name of CLOSED_TABLES) {
      for (const behind of [tables[`open_${name}`], tables[`closed_${name}`], tables.closed_months]) {
        views[name].addResourceDependency(behind);
      }
    }

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
    const location = bucket.s3UrlForObject(table.prefix);
    return new CfnTable(this, pascalCase(table.name), {
      catalogId: Stack.of(this).account,
      databaseName: this.databaseName,
      tableInput: {
        name: table.name,
        description: table.description,
        tableType: 'EXTERNAL_TABLE',
        partitionKeys: withoutComments(table.partitions),
        parameters: {
          EXTERNAL: 'TRUE',
          classification: table.format,
          ...(table.partitions.length === 0 ? {} : projectionOf(table, location)),
        },
        storageDescriptor: {
          location,
          columns: withoutComments(table.columns),
          ...FORMATS[table.format],
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
      description: questionOf(queryString),
      database: this.databaseName,
      workGroup: this.workGroupName,
      queryString,
    });
  }
}

/** What each column means is in docs/reference/columns.md, because a template has no room for it in every table. */
function withoutComments(columns: readonly ViewColumn[]): CfnTable.ColumnProperty[] {
  return columns.map(({ name, type }) => ({ name, type }));
}

const FORMATS = {
  json: {
    inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
    outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
    serdeInfo: { serializationLibrary: 'org.openx.data.jsonserde.JsonSerDe' },
  },
  parquet: {
    inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
    outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
    serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
  },
} as const satisfies Record<TableDefinition['format'], CfnTable.StorageDescriptorProperty>;

function projectionOf({ partitions, partitionPath }: TableDefinition, location: string): Record<string, string> {
  const properties = partitions.flatMap(({ name, projection }) =>
    Object.entries(projection).map(([key, value]) => [`projection.${name}.${key}`, value] as const),
  );
  return {
    'projection.enabled': 'true',
    ...Object.fromEntries(properties),
    'storage.location.template': location + partitionPath,
  };
}

function mapValues<Key extends string, Value, Result>(
  record: Readonly<Record<Key, Value>>,
  result: (value: Value) => Result,
): Record<Key, Result> {
  const entries = Object.entries<Value>(record).map(([key, value]) => [key, result(value)]);
  return Object.fromEntries(entries) as Record<Key, Result>;
}

/** The title and the question that a query file begins with; the query itself has the rest of the comment. */
function questionOf(sql: string): string {
  const lines = sql.split('\n');
  const comment = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('--')),
  );
  return /^.*?\?/.exec(comment.map((line) => line.replace(/^--\s?/, '')).join(' '))?.[0] ?? '';
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|[-_])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Where Trino's name of a type is another one than Hive's. */
const TRINO_TYPES: Readonly<Record<string, string>> = { string: 'varchar', timestamp: 'timestamp(3)' };

/** `array<struct<name:string>>` is `array(row("name" varchar))` in Trino. */
function trinoType(type: TypeTree): string {
  if ('item' in type) return `array(${trinoType(type.item)})`;
  if ('fields' in type) return `row(${type.fields.map(([name, field]) => `"${name}" ${trinoType(field)}`).join(',')})`;
  return TRINO_TYPES[type.scalar] ?? type.scalar;
}

const VIEW_COMMENT = 'Presto View';

/**
 * Describes a view as Athena stores it in Glue, where Trino's Hive connector also reads it.
 * @param database where tables without a database in the SQL are looked up
 */
function storedView(view: ViewDefinition, sql: string, database: string): CfnTable.TableInputProperty {
  const definition = {
    // Nobody edits a stored view, and the template has no room for its comments, which have lines of their own, and for
    // its lines, whose ends are two characters each in JSON.
    originalSql: sql
      .replace(/^ *--.*\n/gm, '')
      .trim()
      .replace(/\n */g, ' '),
    catalog: 'awsdatacatalog',
    schema: database,
    columns: view.columns.map(({ name, type }) => ({ name, type: trinoType(typeTree(type)) })),
    // A view without an owner can't run with the permissions of one; Athena always uses those of whoever asks.
    runAsInvoker: true,
  };
  return {
    name: view.name,
    // Trino's connector uses the description as the comment, by which it recognises a view.
    description: VIEW_COMMENT,
    tableType: 'VIRTUAL_VIEW',
    parameters: { presto_view: 'true', comment: VIEW_COMMENT },
    storageDescriptor: {
      columns: withoutComments(view.columns),
      // Trino's connector requires a SerDe, and the CDK omits an empty one.
      serdeInfo: { parameters: { 'serialization.format': '1' } },
    },
    viewOriginalText: `/* Presto View: ${Buffer.from(JSON.stringify(definition)).toString('base64')} */`,
    viewExpandedText: '/* Presto View */',
  };
}
