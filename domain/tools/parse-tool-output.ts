/** Parses any result file: the text shows which tools printed it, and in which format. */
import { plainLine, withoutEnd } from '../parsers/text-lines';
import { ToolOutputError, type ToolOutput } from '../parsers/tool-output';
import { TOOL_MODULES } from './catalogue';
import { IPERF3_FORMS } from './iperf3/forms';
import { parseIperf3Json } from './iperf3/json';
import { parseIperf3Text } from './iperf3/text';
import { parseRateLine } from './iperf3/text-line';
import { formsIn, type FoundForm, type OutputForm } from './output-forms';

/** Works for any tool's text, although only iperf3 prints parallel streams that can be shortened. */
export { SummedStreams } from './iperf3/summed-streams';

const OUTPUTS = TOOL_MODULES.flatMap(({ output }) => output ?? []);
export const OUTPUT_FORMS = OUTPUTS.flatMap(({ forms }) => forms);

/** For help texts and error messages. */
export const READABLE_OUTPUTS = OUTPUTS.map(({ inWords }) => inWords)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ');

/** Recognises a JSON document that may have lost its beginning. */
const DOCUMENT_KEY = /"(?:start|intervals|end|error)"\s*:/;

/** @throws ToolOutputError if the text holds output of several tools or formats, or of none that is known */
export function parseToolOutput(text: string): ToolOutput {
  const [output, ...others] = parseToolOutputs(text);
  if (others.length > 0) throw new ToolOutputError(`must be output of one tool, got ${others.length + 1} outputs`);
  return output;
}

/**
 * @returns one output for each tool, and for each format of iperf3, in the order of their first lines; of several runs
 *   of one tool, the last that measured something
 * @throws ToolOutputError if no parser knows the text
 */
export function parseToolOutputs(text: string): readonly [ToolOutput, ...ToolOutput[]] {
  // Removes a byte order mark, and the zeros that a file system leaves after a crash.
  const content = withoutEnd(text.replace(/^\ufeff/, ''), '\u0000');
  if (content.trim() === '') throw new ToolOutputError('the file is empty');
  const forms = readableForms(content);
  const [first, ...others] = forms.flatMap(({ form }) => parseForm(form, content, forms));
  if (first !== undefined) return [first, ...others];
  // The JSON parser itself refuses a document whose beginning is missing.
  if (DOCUMENT_KEY.test(content)) return [parseIperf3Json(content)];
  if (hasWrappedRate(content)) return [parseIperf3Text(content)];
  throw new ToolOutputError(`must be output of ${READABLE_OUTPUTS}, got something else`);
}

/** @throws ToolOutputError if the beginning of a text has no tool's output that can be parsed */
export function checkBeginning(beginning: string): void {
  if (readableForms(beginning).length > 0 || DOCUMENT_KEY.test(beginning) || hasWrappedRate(beginning)) return;
  throw new ToolOutputError(`must be output of ${READABLE_OUTPUTS}, got something else at its beginning`);
}

/** @throws ToolOutputError for a form that can't be parsed */
function readableForms(text: string): readonly FoundForm[] {
  const found = formsIn(text, OUTPUT_FORMS);
  const refused = found.find(({ form }) => form.parse === undefined);
  if (refused !== undefined) {
    const { form, line } = refused;
    throw new ToolOutputError(`line ${line}: must be output of ${READABLE_OUTPUTS}, got ${form.name}: ${form.advice}`);
  }
  const { jsonStream, json, text: plain, error } = IPERF3_FORMS;
  const hasStream = formsHave(found, jsonStream);
  const isRepeated = hasStream && isEachTestRepeated(text);
  const hasIperf3 = hasStream || formsHave(found, json, plain);
  return found
    .filter(({ form }) => !(isRepeated && form === json) && !(hasIperf3 && form === error))
    .sort((left, right) => left.line - right.line);
}

/** `--json-stream-full-output` prints the document below the events; both have the cookie of the same test. */
function isEachTestRepeated(text: string): boolean {
  const cookies = [...text.matchAll(/"cookie"\s*:\s*"(\w{1,100})"/g)].map(([, cookie]) => cookie);
  return cookies.length >= 2 * new Set(cookies).size;
}

function formsHave(forms: readonly FoundForm[], ...wanted: readonly OutputForm[]): boolean {
  return forms.some(({ form }) => wanted.includes(form));
}

function parseForm(form: OutputForm, text: string, forms: readonly FoundForm[]): ToolOutput[] {
  const isBesideJson = formsHave(forms, IPERF3_FORMS.jsonStream, IPERF3_FORMS.json);
  // A JSON document may hold the server's text in a string, but no line of iperf3's text has a quotation mark.
  const ownText = form === IPERF3_FORMS.text && isBesideJson ? withoutQuotes(text) : text;
  const output = form.parse?.(ownText);
  const others = forms
    .filter((found) => found.form !== form)
    .map((found) => `${found.form.name} from line ${found.line}`);
  if (output === undefined || others.length === 0) return [output].filter((each) => each !== undefined);
  const note = `the file also holds output of ${others.join(' and of ')}, which is analysed by itself`;
  return [{ ...output, warnings: [note, ...output.warnings] }];
}

function withoutQuotes(text: string): string {
  const lines = text.split('\n');
  return lines.filter((line) => !line.includes('"')).join('\n');
}

/** Other programs may wrap iperf3's lines in strings of their own. */
function hasWrappedRate(text: string): boolean {
  return text.split('\n').some((line) => parseRateLine(plainLine(line)) !== undefined);
}
