/** Parses any result file: the text itself shows which tools printed it, and in which format. */
import { parseIperf3Json, parseIperf3JsonStream } from './iperf3/json';
import { parseIperf3Text } from './iperf3/text';
import { parseRateLine } from './iperf3/text-line';
import { formsIn, type OutputForm } from './output-forms';
import { parsePingText } from './ping/text';
import { parseSockperfText } from './sockperf/text';
import { plainLine, withoutEnd } from './text-lines';
import { ToolOutputError, type ToolOutput } from './tool-output';
import { parseTracepathText } from './tracepath/text';

/** A text of any tool may pass through it: it shortens that of the one tool that prints parallel streams. */
export { SummedStreams } from './iperf3/summed-streams';

/** Named in help texts and error messages. */
export const READABLE_OUTPUTS = 'iperf3 (text, -J or --json-stream), sockperf, ping (iputils) or tracepath';

const PARSERS: Readonly<Record<Exclude<OutputForm, 'iperf 2'>, (text: string) => ToolOutput>> = {
  'iperf3 --json-stream': parseIperf3JsonStream,
  'iperf3 -J': parseIperf3Json,
  'iperf3 text': parseIperf3Text,
  'iperf3 error': parseIperf3Text,
  sockperf: parseSockperfText,
  ping: parsePingText,
  tracepath: parseTracepathText,
};

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
  const [first, ...others] = forms.map(({ form }) => parseForm(form, content, forms));
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

type ReadableForm = keyof typeof PARSERS;
interface FoundForm {
  readonly form: ReadableForm;
  readonly line: number;
}

/** @throws ToolOutputError for iperf 2, whose lines are too much like iperf3's to be left out of a text */
function readableForms(text: string): readonly FoundForm[] {
  const found = [...formsIn(text)].flatMap(([form, line]) => {
    if (form !== 'iperf 2') return [{ form, line }];
    const advice = 'measure with iperf3, or give the rates as a series (--series)';
    throw new ToolOutputError(`line ${line}: must be output of ${READABLE_OUTPUTS}, got iperf 2: ${advice}`);
  });
  const hasStream = formsHave(found, 'iperf3 --json-stream');
  const isRepeated = hasStream && isEachTestRepeated(text);
  const hasIperf3 = hasStream || formsHave(found, 'iperf3 -J', 'iperf3 text');
  return found
    .filter(({ form }) => !(isRepeated && form === 'iperf3 -J') && !(hasIperf3 && form === 'iperf3 error'))
    .sort((left, right) => left.line - right.line);
}

/** `--json-stream-full-output` prints the document below the events; iperf3's cookie shows that both are of one test. */
function isEachTestRepeated(text: string): boolean {
  const cookies = [...text.matchAll(/"cookie"\s*:\s*"(\w{1,100})"/g)].map(([, cookie]) => cookie);
  return cookies.length >= 2 * new Set(cookies).size;
}

function formsHave(forms: readonly FoundForm[], ...wanted: readonly ReadableForm[]): boolean {
  return forms.some(({ form }) => wanted.includes(form));
}

function parseForm(form: ReadableForm, text: string, forms: readonly FoundForm[]): ToolOutput {
  const isBesideJson = formsHave(forms, 'iperf3 --json-stream', 'iperf3 -J');
  // A JSON document may hold the server's text in a string, and no line of iperf3's text has a quotation mark.
  const ownText =
    form === 'iperf3 text' && isBesideJson
      ? text
          .split('\n')
          .filter((line) => !line.includes('"'))
          .join('\n')
      : text;
  const output = PARSERS[form](ownText);
  const others = forms.filter((found) => found.form !== form).map((found) => `${found.form} from line ${found.line}`);
  if (others.length === 0) return output;
  return {
    ...output,
    warnings: [
      `the file also holds output of ${others.join(' and of ')}, which is analysed by itself`,
      ...output.warnings,
    ],
  };
}

/** Other programs may wrap iperf3's lines in strings of their own. */
function hasWrappedRate(text: string): boolean {
  return text.split('\n').some((line) => parseRateLine(plainLine(line)) !== undefined);
}
