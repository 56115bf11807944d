/** `iperf3 --json-stream` (3.17 and later): one event per line, which together hold what the document of `-J` holds. */
import { asRecord, asText } from '../json-text';
import { chooseRun } from '../runs-of-file';
import { plainLine } from '../text-lines';
import type { ThroughputOutput } from '../tool-output';
import { outputOfDocument } from './document';
import { errorOfLine } from './text-line';

/** The events that a document holds under their own names. */
const PARTS = ['start', 'end', 'error', 'server_output_json', 'server_output_text'];

type StreamedTest = Record<string, unknown> & { readonly intervals: unknown[] };

/** Whether any line is an event; `-J` never prints a whole object on one line. */
export function isJsonStream(text: string): boolean {
  return /^[^{\n]{0,100}\{\s*"event"\s*:\s*"/m.test(text);
}

export function parseIperf3JsonStream(text: string): ThroughputOutput {
  let test: StreamedTest = { intervals: [] };
  const tests = [test];
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const rawLine of text.split('\n')) {
    const line = plainLine(rawLine);
    const event = eventOf(line);
    if (event !== undefined) {
      if (event.name === 'start' && test.start !== undefined) {
        test = { intervals: [] };
        tests.push(test);
      }
      // A server that is stopped while it waits for its next client reports an error and a second end.
      const isAfterEnd = test.end !== undefined && (event.name === 'error' || event.name === 'end');
      if (event.name === 'interval') test.intervals.push(event.data);
      else if (PARTS.includes(event.name) && !isAfterEnd) test[event.name] = event.data;
      else if (event.name === 'error') warnings.push(`after the end of the test: ${asText(event.data) ?? 'an error'}`);
    } else if (/^[^{]{0,100}\{\s*"event"/.test(line)) warnings.push('a line ends in the middle of its event; left out');
    else {
      const error = errorOfLine(line);
      if (error !== undefined) errors.push(error);
    }
  }
  const chosen = chooseRun(tests, ({ intervals }) => intervals.length > 0);
  return outputOfDocument({ ...chosen.run }, { errors, warnings: [...warnings, ...chosen.warnings] });
}

function eventOf(line: string) {
  const open = line.indexOf('{');
  if (open === -1 || !line.includes('"event"')) return undefined;
  try {
    const event = asRecord(JSON.parse(line.slice(open)));
    const name = asText(event?.event);
    return name === undefined ? undefined : { name, data: event?.data };
  } catch {
    return undefined;
  }
}
