/** `iperf3 --json-stream` (3.17 and later): one event a line, which add up to the document of `-J`. */
import { outputOfDocument } from './iperf3-document';
import { errorOfLine } from './iperf3-text-line';
import { plainLine } from '../plain-line';
import { asRecord, asText } from '../json-text';
import type { ThroughputOutput } from '../tool-output';

interface StreamedTest {
  start?: unknown;
  readonly intervals: unknown[];
  end?: unknown;
  error?: unknown;
  server_output_json?: unknown;
  server_output_text?: unknown;
}

interface StreamEvent {
  readonly name: string;
  readonly data: unknown;
}

/** Whether any line is an event; `-J` never puts a whole object on one line. */
export function isJsonStream(text: string): boolean {
  return /^[^{\n]{0,100}\{\s*"event"\s*:\s*"/m.test(text);
}

export function parseIperf3JsonStream(text: string): ThroughputOutput {
  const tests: StreamedTest[] = [{ intervals: [] }];
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const rawLine of text.split('\n')) {
    const line = plainLine(rawLine);
    const event = eventOf(line);
    if (event !== undefined) {
      if (event.name === 'start' && tests.at(-1)!.start !== undefined) tests.push({ intervals: [] });
      const test = tests.at(-1)!;
      // Told to stop while it waits for its next client, a server says so and ends once more.
      if (test.end === undefined || (event.name !== 'error' && event.name !== 'end')) addEvent(event, test);
      else if (event.name === 'error') warnings.push(`after the end of the test: ${asText(event.data) ?? 'an error'}`);
    } else if (/^[^{]{0,100}\{\s*"event"/.test(line)) warnings.push('a line ends in the middle of its event; left out');
    else {
      const error = errorOfLine(line);
      if (error !== undefined) errors.push(error);
    }
  }
  if (tests.length > 1) {
    warnings.push(`the file holds ${tests.length} tests; the last one that measured something is analysed`);
  }
  const measured = tests.findLast((test) => test.intervals.length > 0) ?? tests.at(-1)!;
  return outputOfDocument({ ...measured }, { errors, warnings });
}

function eventOf(line: string): StreamEvent | undefined {
  const open = line.indexOf('{');
  if (open === -1 || !line.includes('"event"')) return undefined;
  try {
    const event = asRecord(JSON.parse(line.slice(open)));
    const name = asText(event?.event);
    return name === undefined ? undefined : { name, data: event!.data };
  } catch {
    return undefined;
  }
}

function addEvent({ name, data }: StreamEvent, test: StreamedTest): void {
  if (name === 'interval') test.intervals.push(data);
  else if (name === 'start' || name === 'end' || name === 'error') test[name] = data;
  else if (name === 'server_output_json' || name === 'server_output_text') test[name] = data;
}
