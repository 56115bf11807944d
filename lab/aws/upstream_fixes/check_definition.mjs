/**
 * Prints, one per line, the problems of the state machine definition on standard input: what AWS's own linter finds,
 * and what JSONata 2.0.6, the version that AWS documents, does not have.
 */
import { readFileSync } from 'node:fs';
import linter from 'amazon-states-language-service';
import jsonata from 'jsonata';

const MAX_NAME_CHARACTERS = 80;

const text = readFileSync(0, 'utf8');
const document = linter.TextDocument.create('file:///definition.asl.json', 'asl', 1, text);
const service = linter.getLanguageService({});
const diagnostics = await service.doValidation(document, service.parseJSONDocument(document));
for (const { message, range } of diagnostics)
  console.log(`SCHEMA_VALIDATION_FAILED: ${message} at ${document.getText(range)}`);
walk(JSON.parse(text), '');

function walk(value, path) {
  if (typeof value === 'string' && /^\{%[^]*%\}$/.test(value)) checkExpression(value.slice(2, -2), path);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (path.endsWith('/States') && key.length > MAX_NAME_CHARACTERS) {
      console.log(
        `SCHEMA_VALIDATION_FAILED: the name of a state has at most ${MAX_NAME_CHARACTERS} characters at ${path}/${key}`,
      );
    }
    walk(member, `${path}/${key}`);
  }
}

function checkExpression(expression, path) {
  try {
    if (callsEval(jsonata(expression).ast()))
      console.log(`INVALID_JSONATA_EXPRESSION: $eval is not supported at ${path}`);
  } catch (error) {
    console.log(`INVALID_JSONATA_EXPRESSION: ${error.message} at ${path}`);
  }
}

function callsEval(node) {
  if (typeof node !== 'object' || node === null) return false;
  return (node.type === 'variable' && node.value === 'eval') || Object.values(node).some(callsEval);
}
