/**
 * Builds the content of a Command document from its folder under `ssm-documents/`, which has a short `document.yaml`
 * and real script files that shellcheck, ruff and the tests can read.
 *
 * `document.yaml` has a description, the names of parameters of `shared-parameters.ts`, and the description and the
 * pattern of each parameter of its own. The agent runs a single script, which is made of `run.sh`:
 *
 * - Each parameter adds two lines at the beginning: AWS's documented fallback for agents without ENV_VAR interpolation,
 *   and a check against the parameter's own pattern. The script can therefore rely on its values, whoever runs the
 *   document.
 * - A line `source ../shared/<name>.sh` is replaced by the lines of that file, which may have such lines too.
 * - A line `install_program <file>` gets the lines of that file as its standard input.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { parse } from 'yaml';
import {
  COMMON_PARAMETERS,
  fromEnvironment,
  SHARED_PARAMETERS,
  type DocumentParameter,
  type Parameters,
} from './shared-parameters';

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
  const preamble = Object.entries(parameters).flatMap(([name, { allowedPattern }]) => [
    `if [ -z "\${SSM_${name}+x}" ]; then export SSM_${name}="{{${name}}}"; fi`,
    `if ! [[ $SSM_${name} =~ ${allowedPattern} ]]; then echo '${name}: must match its pattern' >&2; exit 1; fi`,
  ]);
  return [SHEBANG, ...preamble, ...body.flatMap((line) => expandLine(directory, line))];
}

function expandLine(directory: string, line: string): string[] {
  const { command, file } = /^ *(?<command>source|install_program) (?<file>\S+)$/.exec(line)?.groups ?? {};
  if (file === undefined) return line.startsWith('# shellcheck ') ? [] : [line];
  const lines = readLines(directory, file);
  if (command === 'source') return lines.flatMap((included) => expandLine(directory, included));
  return [`${line} <<'END_OF_FILE'`, ...lines, 'END_OF_FILE'];
}

function readLines(directory: string, file: string): string[] {
  return readFileSync(path.join(directory, file), 'utf8').trimEnd().split('\n');
}
