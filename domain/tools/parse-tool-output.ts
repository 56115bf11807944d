/** Parses any result file: the text itself shows which tools printed it, and in which format. */
import { plainLine, withoutEnd } from '../parsers/text-lines';
import { ToolOutputError, type ToolOutput } from '../parsers/tool-output';
import { TOOL_MODULES } from './catalogue';
import { IPERF3_FORMS } from './iperf3/forms';
import { parseIperf3Json } from './iperf3/json';
import { parseIperf3Text } from './iperf3/text';
import { parseRateLine } from './iperf3/text-line';
import { formsIn, type FoundForm, type OutputForm } from './output-forms';

/** A text of any tool may pass through it: it shortens that of the one tool that prints parallel streams. */
export { SummedStreams } from './iperf3/summed-streams';

const OUTPUTS = TOOL_MODULES.flatMap(({ output }) => output ?? []);
export const OUTPUT_FORMS = OUTPUTS.flatMap(({ forms }) => forms);

/** Named in help texts and error messages. */
export const READABLE_OUTPUTS = OUTPUTS.map(({ inWords }) => inWords)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ');

/** A JSON document that may have lost its beginning. */
const DOCUMENT_KEY = /"(?:start|intervals|end|error)"\s*:/;

/** @throws ToolOutputError where the text holds output of several tools or formats, and where no parser knows it */
export function parseToolOutput(text: string): ToolOutput {
  const [output, ...others] = parseToolOutputs(text);
  if (others.length > 0) throw new ToolOutputError(`must be output of one tool, got ${others.length + 1} outputs`);
  return output;
}

/**
 * @returns one output for each tool that the text holds, and each format of iperf3, in the order of their first lines; of
 *   several runs of one tool, the last that measured something
 * @throws ToolOutputError for a text that no parser knows
 */
export function parseToolOutputs(text: string): readonly [ToolOutput, ...ToolOutput[]] {
  // Without a byte order mark, and without the zeros that a file system leaves after a crash.
  const content = withoutEnd(text.replace(/^\ufeff/, ''), '\u0000');
  if (content.trim() === '') throw new ToolOutputError('the file is empty');
  const forms = readableForms(content);
  const [first, ...others] = forms.flatMap(({ form }) => parseForm(form, content, forms));
  if (first !== undefined) return [first, ...others];
  // What is left of a JSON document whose beginning is missing is refused in the words of its own parser.
  if (DOCUMENT_KEY.test(content)) return [parseIperf3Json(content)];
  if (hasWrappedRate(content)) return [parseIperf3Text(content)];
  throw new ToolOutputError(`must be output of ${READABLE_OUTPUTS}, got something else`);
}

/** @throws ToolOutputError where nothing in the beginning of a text is a tool's output that can be read */
export function checkBeginning(beginning: string): void {
  if (readableForms(beginning).length > 0 || DOCUMENT_KEY.test(beginning) || hasWrappedRate(beginning)) return;
  throw new ToolOutputError(`must be output of ${READABLE_OUTPUTS}, got something else at its beginning`);
}

/** @throws ToolOutputError for a form that is not read */
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

/** `--json-stream-full-output` prints the document below the events; iperf3's cookie shows that both are of one test. */
function isEachTestRepeated(text: string): boolean {
  const cookies = [...text.matchAll(/"cookie"\s*:\s*"(\w{1,100})"/g)].map(([, cookie]) => cookie);
  return cookies.length >= 2 * new Set(cookies).size;
}

function formsHave(forms: readonly FoundForm[], ...wanted: readonly OutputForm[]): boolean {
  return forms.some(({ form }) => wanted.includes(form));
}

function parseForm(form: OutputForm, text: string, forms: readonly FoundForm[]): ToolOutput[] {
  const isBesideJson = formsHave(forms, IPERF3_FORMS.jsonStream, IPERF3_FORMS.json);
  // A JSON document may hold the server's text in a string, and no line of iperf3's text has a quotation mark.
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
