import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildDocument,
  DOCUMENT_NAMES,
  type DocumentContent,
  COMMON_PARAMETERS,
  SHARED_PARAMETERS,
} from '../../../lib/measurement-documents/measurement-documents';
import { TOOL_MODULES } from '../../../domain/tools/catalogue';
import { PREPARE_DOCUMENT, PROBE_DOCUMENT } from '../../../domain/tools/commands';
import { RUN_ID_PATTERN } from '../../../domain/workflow/identifiers';

const DOCUMENTS = DOCUMENT_NAMES.map((name) => [name, buildDocument(name)] as const);
/** Systems Manager limits a document together with its parameters to 64 KB; this leaves some room. */
const LIMIT_BYTES = 60_000;
/** What a document begins with: bash, the function `parameter` and a line for each parameter. */
const FALLBACK = /^parameter SSM_(\w+) "\{\{\1\}\}" '\^.*\$'$/;
const bodyOf = (document: DocumentContent) => script(document).slice(2 + Object.keys(document.parameters).length);
/** The only characters that an allowed pattern may consist of between its anchors. */
const PATTERN = /^\^[A-Za-z0-9[\]{},()|._\\-]+\$$/;

/** As long as the longest value that any pattern allows. */
const LONGEST_VALUE = 'x'.repeat(74);

function script(document: DocumentContent): readonly string[] {
  return document.mainSteps.flatMap((step) => step.inputs.runCommand);
}

describe.each(DOCUMENTS)('%s', (name, document) => {
  it('has the schema version that supports ENV_VAR, and step names that the API accepts', () => {
    expect(document.schemaVersion).toBe('2.2');
    for (const step of document.mainSteps) {
      expect(step.action).toBe('aws:runShellScript');
      expect(step.name).toMatch(/^[A-Za-z0-9_-]{4,}$/);
      expect(Object.keys(step.inputs).sort()).toEqual(['runCommand', 'timeoutSeconds']);
      expect(step.inputs.timeoutSeconds).toBe('{{ ExecutionTimeoutSeconds }}');
    }
  });

  it('stays below 60 KB with parameters of the greatest length', () => {
    const parameters = Object.fromEntries(Object.keys(document.parameters).map((key) => [key, [LONGEST_VALUE]]));
    const bytes = Buffer.byteLength(JSON.stringify(document) + JSON.stringify(parameters));
    expect(bytes).toBeLessThan(LIMIT_BYTES);
  });

  it.each(Object.entries(document.parameters))(
    '%s is a String with an anchored pattern and no default',
    (key, parameter) => {
      expect(key).toMatch(/^[a-zA-Z0-9]+$/);
      expect(parameter).toMatchObject({ type: 'String' });
      expect(parameter).not.toHaveProperty('default');
      expect(parameter.allowedPattern).toMatch(PATTERN);
      // In ^a|b$ each alternative would be anchored on one side only.
      expect(parameter.allowedPattern.replace(/\([^()]*\)/g, '')).not.toContain('|');
      for (const character of ' \t\n"\'`$&;<>|(){}[]*?!#~\\') {
        expect(new RegExp(parameter.allowedPattern).test(`1${character}`)).toBe(false);
        expect(new RegExp(parameter.allowedPattern).test(character)).toBe(false);
      }
    },
  );

  it('uses each parameter that only some documents have', () => {
    const used = bodyOf(document).join('\n');
    const names = Object.keys(document.parameters).filter((key) => !(key in COMMON_PARAMETERS));
    expect(names.filter((key) => !new RegExp(`\\$\\{?(?:10#\\$)?SSM_${key}\\b`).test(used))).toEqual([]);
  });

  it('passes all values through the environment, except the timeout, which is an input of the step itself', () => {
    const pasted = Object.entries(document.parameters).filter(
      ([, parameter]) => parameter.interpolationType !== 'ENV_VAR',
    );
    expect(pasted.map(([key]) => key)).toEqual(['ExecutionTimeoutSeconds']);
    // Only digits may be pasted into the script.
    expect(document.parameters.ExecutionTimeoutSeconds?.allowedPattern).toBe('^[0-9]{1,5}$');
  });

  it("begins with bash and with AWS's fallback for each parameter, and has no other placeholder", () => {
    const lines = script(document);
    expect(lines[0]).toBe('#!/bin/bash');
    const placeholders = lines.filter((line) => line.includes('{{'));
    expect(placeholders.map((line) => FALLBACK.exec(line)?.[1])).toEqual(Object.keys(document.parameters));
    expect(lines.findIndex((line) => line === 'set -euo pipefail')).toBeGreaterThan(0);
  });

  it('uses only parameters that it declares', () => {
    const used = new Set(
      bodyOf(document)
        .join('\n')
        .match(/(?<!AWS_)SSM_\w+/g),
    );
    const declared = Object.keys(document.parameters).map((key) => `SSM_${key}`);
    expect([...used].filter((variable) => !declared.includes(variable))).toEqual([]);
  });

  it('contains no line that is meant only for the builder or a linter', () => {
    const lines = script(document);
    expect(
      lines.filter((line) => /^ *(source|install_program) \S+$/.test(line) || line.startsWith('# shellcheck ')),
    ).toEqual([]);
  });

  it('comes from a folder with its name that contains only files the document uses', () => {
    const folder = join(__dirname, '../../../ssm-documents', name);
    const runScript = readFileSync(join(folder, 'run.sh'), 'utf8');
    const installed = [...runScript.matchAll(/^ *install_program (?<file>[^/\n]+)$/gm)].map(
      (match) => match.groups!.file!,
    );
    expect(readdirSync(folder).sort()).toEqual(['document.yaml', 'run.sh', ...installed].sort());
  });
});

it('the documents are exactly those that the tool catalogue sends, prepare-host and probe-path', () => {
  const sent = TOOL_MODULES.flatMap((tool) => [
    ...(tool.serve !== undefined ? [`serve-${tool.name}`] : []),
    `measure-${tool.name}`,
  ]);
  expect([PREPARE_DOCUMENT, PROBE_DOCUMENT, ...sent].sort()).toEqual([...DOCUMENT_NAMES].sort());
});

it('every shared parameter is used by more than one document', () => {
  for (const [key, parameter] of Object.entries({ ...COMMON_PARAMETERS, ...SHARED_PARAMETERS })) {
    const users = DOCUMENTS.filter(([, document]) => document.parameters[key] === parameter);
    expect({ key, isShared: users.length > 1 }).toEqual({ key, isShared: true });
  }
});

it('no two documents define the same parameter on their own', () => {
  const own = DOCUMENTS.flatMap(([, { parameters }]) =>
    Object.entries(parameters)
      .filter(([key, parameter]) => parameter !== SHARED_PARAMETERS[key] && parameter !== COMMON_PARAMETERS[key])
      .map((definition) => JSON.stringify(definition)),
  );
  expect(own.filter((definition, index) => own.indexOf(definition) !== index)).toEqual([]);
});

describe('buildDocument', () => {
  function built(files: Readonly<Record<string, string>>): DocumentContent {
    const directory = mkdtempSync(join(tmpdir(), 'documents-'));
    try {
      mkdirSync(join(directory, 'measure-iperf3'));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, 'measure-iperf3', file), text);
      return buildDocument('measure-iperf3', directory);
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
  const yaml = "description: d\nparameters: { Speed: { description: d, allowedPattern: '^[0-9]+$' } }\n";

  it('replaces a source line by the lines of the file and of those that it names', () => {
    const document = built({
      'document.yaml': yaml,
      'run.sh': '#!/bin/bash\nsource outer.sh\necho end\n',
      'outer.sh': '# shellcheck shell=bash\nsource inner.sh\necho outer\n',
      'inner.sh': '# shellcheck shell=bash\nset -e\n',
    });
    expect(bodyOf(document)).toEqual(['set -e', 'echo outer', 'echo end']);
  });

  it('gives install_program the lines of its file as standard input', () => {
    const document = built({
      'document.yaml': yaml,
      'run.sh': '#!/bin/bash\nif true; then\n  install_program program.py\nfi\n',
      'program.py': 'source = 1\nprint(1)\n',
    });
    expect(bodyOf(document)).toEqual([
      'if true; then',
      "  install_program program.py <<'END_OF_FILE'",
      'source = 1',
      'print(1)',
      'END_OF_FILE',
      'fi',
    ]);
  });

  it('fails on a script without the bash shebang, which the agent would run with sh', () => {
    expect(() => built({ 'document.yaml': yaml, 'run.sh': 'set -e\n' })).toThrow(
      /run\.sh:1: must be #!\/bin\/bash, got "set -e"$/,
    );
  });

  it('has the common parameters, the definitions of the shared ones it names, and its own', () => {
    const document = built({
      'document.yaml': `${yaml}sharedParameters: [MeasurementId]\n`,
      'run.sh': '#!/bin/bash\n',
    });
    expect(Object.keys(document.parameters)).toEqual([...Object.keys(COMMON_PARAMETERS), 'MeasurementId', 'Speed']);
    expect(document.parameters.MeasurementId).toBe(SHARED_PARAMETERS.MeasurementId);
    expect(document.parameters.Speed).toMatchObject({ type: 'String', interpolationType: 'ENV_VAR' });
    expect(script(document)[2]).toBe(`parameter SSM_RunId "{{RunId}}" '${RUN_ID_PATTERN.source}'`);
  });

  it('fails on a reference to a shared parameter that does not exist', () => {
    const files = { 'document.yaml': `${yaml}sharedParameters: [Ports]\n`, 'run.sh': '#!/bin/bash\n' };
    expect(() => built(files)).toThrow(
      /measure-iperf3\/document\.yaml: sharedParameters: must be of MeasurementId, .*, got Ports$/,
    );
  });

  it('fails on a sourced file that does not exist', () => {
    expect(() => built({ 'document.yaml': yaml, 'run.sh': '#!/bin/bash\nsource none.sh\n' })).toThrow(/none\.sh/);
  });
});
