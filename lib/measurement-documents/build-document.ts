/**
 * Builds the content of a Command document from its folder under `ssm-documents/`, which has a short `document.yaml`
 * and real script files that shellcheck, ruff and the tests can read. The agent runs a single script, which is put
 * together like this:
 *
 * - `<parameter>: shared` is replaced by the definition in `shared-parameters.ts`.
 * - `runCommand: run.sh` is replaced by the lines of that file.
 * - Each parameter adds two lines before them: AWS's documented fallback for agents without ENV_VAR interpolation, and
 *   a check against the parameter's own pattern. The script can therefore rely on its values, whoever runs the
 *   document.
 * - A line `source ../shared/<name>.sh` is replaced by the lines of that file.
 * - A line `#embed <file>` is replaced by the lines of that file: a program inside a quoted heredoc.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { parse } from 'yaml';
import { SHARED_PARAMETERS, type DocumentParameter } from './shared-parameters';

export interface DocumentStep {
  readonly action: string;
  readonly name: string;
  readonly inputs: { readonly timeoutSeconds: string; readonly runCommand: readonly string[] };
}

export interface DocumentContent {
  readonly schemaVersion: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, DocumentParameter>>;
  readonly mainSteps: readonly DocumentStep[];
}

export interface BuiltDocument {
  readonly name: string;
  readonly content: DocumentContent;
  readonly parameters: DocumentContent['parameters'];
}

type WrittenStep = Omit<DocumentStep, 'inputs'> & {
  readonly inputs: { readonly timeoutSeconds: string; readonly runCommand: string };
};
type WrittenDocument = Omit<DocumentContent, 'parameters' | 'mainSteps'> & {
  readonly parameters: Readonly<Record<string, DocumentParameter | typeof SHARED>>;
  readonly mainSteps: readonly WrittenStep[];
};

/** What a `document.yaml` has in place of the definition of a parameter of `SHARED_PARAMETERS`. */
const SHARED = 'shared';

const DOCUMENTS_DIRECTORY = path.join(__dirname, '../../ssm-documents');
/** Every folder with a `document.yaml` is a document. */
export const DOCUMENT_NAMES: readonly string[] = readdirSync(DOCUMENTS_DIRECTORY)
  .filter((name) => existsSync(path.join(DOCUMENTS_DIRECTORY, name, 'document.yaml')))
  .sort();

const SHEBANG = '#!/bin/bash';

export function buildDocument(name: string, documentsDirectory: string = DOCUMENTS_DIRECTORY): BuiltDocument {
  const directory = path.join(documentsDirectory, name);
  const written = parse(readFileSync(path.join(directory, 'document.yaml'), 'utf8')) as WrittenDocument;
  const parameters = Object.fromEntries(
    Object.entries(written.parameters).map(([key, parameter]) => [
      key,
      parameter === SHARED ? sharedParameter(name, key) : parameter,
    ]),
  );
  const content: DocumentContent = {
    ...written,
    parameters,
    mainSteps: written.mainSteps.map((step) => ({
      ...step,
      inputs: { ...step.inputs, runCommand: buildScript(directory, step.inputs.runCommand, parameters) },
    })),
  };
  return { name, content, parameters };
}

function sharedParameter(documentName: string, key: string): DocumentParameter {
  const parameter = SHARED_PARAMETERS[key];
  if (parameter === undefined) {
    throw new Error(
      `${documentName}/document.yaml: parameters.${key}: must be a definition or the name of a shared parameter ` +
        `(${Object.keys(SHARED_PARAMETERS).join(', ')}), got ${SHARED}`,
    );
  }
  return parameter;
}

function buildScript(directory: string, file: string, parameters: DocumentContent['parameters']): string[] {
  const [shebang, ...body] = readLines(directory, file);
  if (shebang !== SHEBANG) {
    throw new Error(`${path.join(directory, file)}:1: must be ${SHEBANG}, got ${JSON.stringify(shebang)}`);
  }
  const preamble = Object.entries(parameters).flatMap(([name, { allowedPattern }]) => [
    `if [ -z "\${SSM_${name}+x}" ]; then export SSM_${name}="{{${name}}}"; fi`,
    `if ! [[ $SSM_${name} =~ ${allowedPattern} ]]; then echo '${name}: must match its pattern' >&2; exit 1; fi`,
  ]);
  return [SHEBANG, ...preamble, ...body.flatMap((line) => expandLine(directory, line))];
}

function expandLine(directory: string, line: string): string[] {
  const file = /^(?:source|#embed) (?<file>\S+)$/.exec(line)?.groups?.file;
  if (file !== undefined) {
    return readLines(directory, file).filter((included) => !included.startsWith('# shellcheck '));
  }
  return line.startsWith('# shellcheck ') ? [] : [line];
}

function readLines(directory: string, file: string): string[] {
  return readFileSync(path.join(directory, file), 'utf8').trimEnd().split('\n');
}
