import { aws_ssm as ssm, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { parse } from 'yaml';
import { canonicalJson } from '../../domain/workflow/canonical-json';
import { MEASUREMENT_ID_PATTERN, PAIR_ID_PATTERN, RUN_ID_PATTERN } from '../../domain/workflow/identifiers';
import { fiveAtATime } from '../five-at-a-time';
import { BenchmarkFunction } from '../functions/benchmark-function';

/** A document as a definition sends it. */
export interface PinnedDocument {
  readonly name: string;
  /** A later deployment adds a version, and an execution that began before it goes on with this one. */
  readonly version: string;
}

/** The Command documents that run on the hosts. Each is deployed as `<stack name>-<name of its folder>`. */
export class MeasurementDocuments extends Construct {
  /** By folder name, for example `pinned['measure-iperf3']`. */
  readonly pinned: Readonly<Record<string, PinnedDocument>>;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const documents = DOCUMENT_NAMES.map((folder) => this.deploy(folder, withoutDescriptions(buildDocument(folder))));
    fiveAtATime(documents.map(({ document }) => document));
    const { handler } = new BenchmarkFunction(this, 'FindDocumentVersions', {
      description: 'Tells a deployment which version of each document has the content of this deployment',
      timeout: Duration.minutes(5),
      environment: {},
      grants: [
        {
          actions: ['ssm:GetDocument'],
          resources: documents.map(({ name }) =>
            Stack.of(this).formatArn({ service: 'ssm', resource: 'document', resourceName: name }),
          ),
        },
      ],
    });
    const versions = new CustomResource(this, 'Versions', {
      serviceToken: handler.functionArn,
      properties: { Digests: Object.fromEntries(documents.map(({ name, digest }) => [name, digest])) },
    });
    for (const { document } of documents) versions.node.addDependency(document);
    this.pinned = Object.fromEntries(
      documents.map(({ folder, name }) => [folder, { name, version: versions.getAttString(name) }]),
    );
  }

  private deploy(folder: string, content: object) {
    const name = `${Stack.of(this).stackName}-${folder}`;
    const document = new ssm.CfnDocument(this, folder, {
      name,
      documentType: 'Command',
      documentFormat: 'JSON',
      targetType: '/AWS::EC2::Instance',
      // By default CloudFormation replaces a changed document, which fails if the document has a fixed name.
      updateMethod: 'NewVersion',
      content,
    });
    return { folder, name, document, digest: createHash('sha256').update(canonicalJson(content)).digest('hex') };
  }
}

/**
 * Builds the content of a Command document from its folder under `ssm-documents/`. The folder has a short
 * `document.yaml` and real script files, which shellcheck, ruff and the tests can read.
 *
 * `document.yaml` has a description, the names of its `SHARED_PARAMETERS`, and the description and pattern of each
 * parameter of its own. The agent runs a single script, which is built from `run.sh`:
 *
 * - Each parameter adds a line at the beginning: AWS's documented fallback for agents without ENV_VAR interpolation, and
 *   a check against the parameter's pattern. The script can thus rely on its values, whoever runs the document.
 * - A line `source ../shared/<name>.sh` is replaced by the lines of that file, which may contain such lines too.
 * - A line `install_program <file>` gets the lines of that file as its standard input.
 * - Blank lines, lines that are only a comment and docstrings are left out, and Python is indented by one space, because
 *   the size of a template and of a document is limited.
 */

export interface DocumentContent {
  readonly schemaVersion: '2.2';
  readonly description: string;
  readonly parameters: Parameters;
  readonly mainSteps: readonly {
    readonly action: 'aws:runShellScript';
    readonly name: string;
    readonly inputs: { readonly timeoutSeconds: string; readonly runCommand: readonly string[] };
  }[];
}

/** The descriptions of the parameters are for readers of the sources; a template has no room for them. */
function withoutDescriptions({ parameters, ...content }: DocumentContent): object {
  const kept = Object.entries(parameters).map(([name, { description: _, ...parameter }]) => [name, parameter]);
  return { ...content, parameters: Object.fromEntries(kept) as object };
}

interface WrittenDocument {
  readonly description: string;
  readonly sharedParameters?: readonly string[];
  readonly parameters?: Readonly<Record<string, Pick<DocumentParameter, 'description' | 'allowedPattern'>>>;
}

const DOCUMENTS_DIRECTORY = path.join(__dirname, '../../ssm-documents');
/** Every folder with a `document.yaml` is a document. */
export const DOCUMENT_NAMES: readonly string[] = readdirSync(DOCUMENTS_DIRECTORY)
  .filter((name) => existsSync(path.join(DOCUMENTS_DIRECTORY, name, 'document.yaml')))
  .sort();

const SHEBANG = '#!/bin/bash';
const OMITTED_LINE = /^ *(# .*|#)?$/;
/** At the beginning of a program, or of a function or class that has other lines too. */
const DOCSTRINGS = [/^"""(?:[^"]|"(?!""))*"""\n/, /(?<=:\n)( +)"""(?:[^"]|"(?!""))*"""\n(?=\n*\1\S)/g];

/**
 * `parameter VARIABLE PASTED PATTERN`: an agent with ENV_VAR has set the variable and pastes nothing; an older one pastes
 * the value between double quotes.
 */
const PARAMETER_FUNCTION =
  'parameter() { [ -n "${!1+x}" ] || export "$1=$2"; ' +
  '[[ ${!1} =~ $3 ]] || { echo "${1#SSM_}: must match its pattern" >&2; exit 1; }; }';

export function buildDocument(name: string, documentsDirectory: string = DOCUMENTS_DIRECTORY): DocumentContent {
  const directory = path.join(documentsDirectory, name);
  const written = parse(readFileSync(path.join(directory, 'document.yaml'), 'utf8')) as WrittenDocument;
  const parameters: Parameters = {
    ...COMMON_PARAMETERS,
    ...Object.fromEntries((written.sharedParameters ?? []).map((key) => [key, sharedParameter(name, key)])),
    ...Object.fromEntries(
      Object.entries(written.parameters ?? {}).map(([key, { allowedPattern, description }]) => [
        key,
        fromEnvironment(allowedPattern, description),
      ]),
    ),
  };
  const runCommand = buildScript(directory, parameters);
  return {
    schemaVersion: '2.2',
    description: written.description,
    parameters,
    mainSteps: [
      {
        action: 'aws:runShellScript',
        name: name.replace(/-(.)/g, (_, first: string) => first.toUpperCase()),
        inputs: { timeoutSeconds: '{{ ExecutionTimeoutSeconds }}', runCommand },
      },
    ],
  };
}

function sharedParameter(documentName: string, key: string): DocumentParameter {
  const parameter = SHARED_PARAMETERS[key];
  if (parameter === undefined) {
    const allowed = Object.keys(SHARED_PARAMETERS).join(', ');
    throw new Error(`${documentName}/document.yaml: sharedParameters: must be of ${allowed}, got ${key}`);
  }
  return parameter;
}

function buildScript(directory: string, parameters: Parameters): string[] {
  const [shebang, ...body] = readLines(directory, 'run.sh');
  if (shebang !== SHEBANG) {
    throw new Error(`${path.join(directory, 'run.sh')}:1: must be ${SHEBANG}, got ${JSON.stringify(shebang)}`);
  }
  const preamble = Object.entries(parameters).map(
    ([name, { allowedPattern }]) => `parameter SSM_${name} "{{${name}}}" '${allowedPattern}'`,
  );
  return [SHEBANG, PARAMETER_FUNCTION, ...preamble, ...body.flatMap((line) => expandLine(directory, line))];
}

function expandLine(directory: string, line: string): string[] {
  const { command, file } = /^ *(?<command>source|install_program) (?<file>\S+)$/.exec(line)?.groups ?? {};
  if (file === undefined) return [line];
  const lines = readLines(directory, file);
  if (command === 'source') return lines.flatMap((included) => expandLine(directory, included));
  return [`${line} <<'END_OF_FILE'`, ...lines, 'END_OF_FILE'];
}

function readLines(directory: string, file: string): string[] {
  const text = readFileSync(path.join(directory, file), 'utf8').trimEnd();
  const lines = file.endsWith('.py') ? shortenedProgram(text) : text.split('\n');
  return lines.filter((line) => !OMITTED_LINE.test(line));
}

/** Returns the lines of a Python program without docstrings, with one space for each level of indentation. */
function shortenedProgram(text: string): string[] {
  const lines = DOCSTRINGS.reduce((rest, docstring) => rest.replace(docstring, ''), text).split('\n');
  let isInText = false;
  return lines.map((line) => {
    const shortened = isInText ? line : line.replace(/^( {4})+/, (indent) => ' '.repeat(indent.length / 4));
    if (line.split('"""').length % 2 === 0) isInText = !isInText;
    return shortened;
  });
}

export interface DocumentParameter {
  readonly type: 'String';
  readonly description: string;
  readonly allowedPattern: string;
  readonly interpolationType?: 'ENV_VAR';
}

export type Parameters = Readonly<Record<string, DocumentParameter>>;

export const COMMON_PARAMETERS: Parameters = {
  RunId: fromEnvironment(RUN_ID_PATTERN.source, 'The id of the run, which is the name of its execution.'),
  PairId: fromEnvironment(PAIR_ID_PATTERN.source, 'The id of the pair, unique in its run.'),
  BucketName: fromEnvironment(
    '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    "The bucket that receives the raw lines, under raw/ and the host's own aws:userid.",
  ),
  ExecutionTimeoutSeconds: {
    type: 'String',
    description: "After this time the agent kills the step; it is longer than the script's own limits.",
    allowedPattern: '^[0-9]{1,5}$',
    // Not ENV_VAR, because the agent does not replace variables in the inputs of a step.
  },
};

/** Parameters with the same meaning in several documents, which a `document.yaml` may name. */
export const SHARED_PARAMETERS: Parameters = {
  MeasurementId: fromEnvironment(MEASUREMENT_ID_PATTERN.source, 'The id of the measurement, unique in its run.'),
  ServerAddress: fromEnvironment(
    '^[0-9]{1,3}(\\.[0-9]{1,3}){3}$',
    'The IPv4 address at which the client reaches the server.',
  ),
  Port: fromEnvironment('^[0-9]{4,5}$', 'The port that the server listens on.'),
  ProbePort: fromEnvironment('^[0-9]{4,5}$', "The port that the latency probe's server listens on."),
  ProbeMessagesPerSecond: fromEnvironment(
    '^[0-9]{1,4}$',
    'The number of round trips that the latency probe measures per second; 0 without a probe.',
  ),
  DurationSeconds: fromEnvironment('^[0-9]{1,4}$', 'How long the measurement takes.'),
  OnSeconds: fromEnvironment('^[0-9]{1,4}$', 'How long each run of a duty cycle takes; 0 without a duty cycle.'),
  OffSeconds: fromEnvironment('^[0-9]{1,4}$', 'The pause between two runs of a duty cycle.'),
  IntervalMillis: fromEnvironment('^[1-9][0-9]{0,4}$', 'The time from one packet to the next.'),
  Protocol: fromEnvironment('^(tcp|udp)$', 'The protocol of the measured traffic, tcp or udp.'),
  Scheme: fromEnvironment('^(http|https)$', 'The scheme of the requests, http or https.'),
  ParallelStreams: fromEnvironment('^[0-9]{1,2}$', 'The number of flows at the same time.'),
  FirstFlowPort: fromEnvironment(
    '^[0-9]{4,5}$',
    'The port of the second flow, followed by those of further flows; the first flow has the port of the measurement.',
  ),
  ObjectBytes: fromEnvironment('^[0-9]{1,10}$', 'The size of an object.'),
};

/** A parameter whose value the agent passes to the script as an environment variable. */
function fromEnvironment(allowedPattern: string, description: string): DocumentParameter {
  return { type: 'String', description, allowedPattern, interpolationType: 'ENV_VAR' };
}
