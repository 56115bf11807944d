/**
 * iperf3's JSON, with whatever is printed around it: `-J` prints one document, which may be cut off; `--json-stream`
 * (3.17 and later) prints one event per line, and together they hold what the document holds.
 */
import { asMessage, asRecord, asRecords, findJsonObjects, type JsonRecord } from '../json-text';
import { chooseRun } from '../runs-of-file';
import { plainLine } from '../text-lines';
import { ToolOutputError, type ThroughputOutput } from '../tool-output';
import { outputOfDocument } from './document';
import { afterTheEnd } from './text-errors';
import { errorOfLine } from './text-line';

export function parseIperf3Json(text: string): ThroughputOutput {
  const { found, rest } = findJsonObjects(text);
  const documents = found.flatMap(({ value, isCutOff }) => {
    const document = asRecord(value);
    return document !== undefined && isDocument(document) ? [{ document, isCutOff }] : [];
  });
  const { run, warnings } = chooseRun(documents, ({ document }) => asRecords(document.intervals).length > 0);
  if (run === undefined) {
    throw new ToolOutputError('JSON: must be a document of iperf3 -J, got something else or too little of one');
  }
  const { document, isCutOff } = run;
  return outputOfDocument(isCutOff ? withoutTornInterval(document) : document, {
    errors: rest.split('\n').flatMap((line) => errorOfLine(plainLine(line)) ?? []),
    warnings: [...warnings, ...(isCutOff ? ['the JSON ends in the middle; what was whole is analysed'] : [])],
  });
}

/** Other programs' documents have a `start` or an `error` too. iperf3's start names its version and its connections. */
function isDocument(document: JsonRecord): boolean {
  const start = asRecord(document.start) ?? {};
  const hasStarted = ['version', 'connected', 'test_start'].some((key) => start[key] !== undefined);
  return (
    hasStarted || asRecords(document.intervals).some(({ streams, sum }) => streams !== undefined || sum !== undefined)
  );
}

/** The last interval of a document that is cut off may lack some of its streams; its `sum` comes after all of them. */
function withoutTornInterval(document: JsonRecord): JsonRecord {
  const intervals = asRecords(document.intervals);
  return intervals.at(-1)?.sum === undefined ? { ...document, intervals: intervals.slice(0, -1) } : document;
}

/** The events that a document holds under their own names. */
const PARTS = ['start', 'end', 'error', 'server_output_json', 'server_output_text'];

type StreamedTest = Record<string, unknown> & { readonly intervals: unknown[] };

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
      else if (event.name === 'error') warnings.push(afterTheEnd(asMessage(event.data) ?? 'an error'));
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
    const name = asMessage(event?.event);
    return name === undefined ? undefined : { name, data: event?.data };
  } catch {
    return undefined;
  }
}
