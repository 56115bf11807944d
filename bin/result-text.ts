/**
 * Reads the text of a result file, or of standard input, in bounded memory: what is no tool's output is refused by its
 * beginning, and of a longer text only what the analysis uses is kept.
 */
import { checkBeginning, SummedStreams } from '../domain/tools/parse-tool-output';
import { ToolOutputError } from '../domain/parsers/tool-output';
import { fileText } from './file-text';

/** The first line of a tool comes within this many characters; without one, the rest of the file is not read. */
const BEGINNING_CHARACTERS = 1 << 20;
/** 32 streams of two hours have a hundred million characters in JSON. The analysis takes about ten bytes for each. */
const MAX_CHARACTERS = 128 << 20;
/** Almost six days of seconds. The analysis takes about 2.3 kB for each line of a tool's text. */
const MAX_LINES = 500_000;
const TOO_LONG =
  `must hold at most ${MAX_CHARACTERS >> 20} MiB of text and ${MAX_LINES} lines (not counted: indented ones, and ` +
  'parallel streams whose sum the tool prints), got more: split it into files of one run each, or give the rates as ' +
  'series (--series), of any number';

export interface ResultText {
  readonly text: string;
  /** Whether it is what could be unpacked of a gzip file whose end is missing. */
  readonly isCutOff: boolean;
}

/** @throws Error for a file that is no text, no tool's output, too long or damaged; the message does not name the file */
export async function resultText(file: string): Promise<ResultText> {
  const text = new GrowingText();
  const found = { isEmpty: true, isCutOff: false };
  const pieces = fileText(file, () => {
    found.isCutOff = true;
  });
  for await (const piece of undamaged(pieces)) {
    found.isEmpty = false;
    text.add(piece);
  }
  if (found.isCutOff && found.isEmpty) throw new ToolOutputError('must be a whole gzip file, got only its beginning');
  return { text: text.whole(), isCutOff: found.isCutOff };
}

/** A text that arrives piece by piece. Up to the end of its beginning everything is kept. */
class GrowingText {
  private readonly kept: string[] = [];
  private line: string[] = [];
  private length = 0;
  private lineCount = 0;
  /** Shortens what follows the beginning. */
  private summed: SummedStreams | undefined;

  add(piece: string): void {
    const end = piece.lastIndexOf('\n') + 1;
    if (end === 0) this.line.push(piece);
    else {
      this.keep([...this.line, piece.slice(0, end)].join(''));
      this.line = [piece.slice(end)];
    }
    this.length += piece.length;
    if (this.summed === undefined && this.length >= BEGINNING_CHARACTERS) this.endBeginning();
    if (this.length > MAX_CHARACTERS || this.lineCount > MAX_LINES) throw new ToolOutputError(TOO_LONG);
  }

  whole(): string {
    const text = [...this.kept, this.summed?.end() ?? '', ...this.line].join('');
    if (this.summed === undefined) refuseBinary(text);
    return text;
  }

  private keep(lines: string): void {
    const kept = this.summed?.shorten(lines) ?? lines;
    this.length += kept.length - lines.length;
    // A JSON document has many short lines, and all but its brackets are indented.
    this.lineCount += kept.match(/^[^\t ]/gm)?.length ?? 0;
    this.kept.push(kept);
  }

  private endBeginning(): void {
    const beginning = [...this.kept, ...this.line].join('');
    refuseBinary(beginning);
    checkBeginning(beginning);
    this.summed = new SummedStreams();
  }
}

/** Some bytes of text are damaged in transit or of another encoding; of a binary file, most are. */
const MAX_UNREADABLE_SHARE = 0.1;

/**
 * Refuses a text that consists of other things than characters. Zeros do not count on either side: a file system leaves
 * blocks of them in a log after a crash.
 */
function refuseBinary(text: string): void {
  let zeros = 0;
  let unreadable = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0) zeros += 1;
    // Backspace to carriage return and escape are what terminals leave in a log.
    else if (code === 0xfffd || (code < 0x20 && (code < 0x08 || code > 0x0d) && code !== 0x1b)) unreadable += 1;
  }
  const isBinary = unreadable > MAX_UNREADABLE_SHARE * (text.length - zeros);
  if (isBinary) throw new ToolOutputError('must be text or gzip, got a binary file');
}

/** Names the compression in the errors of zlib. */
async function* undamaged(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (thrown) {
    const isOfZlib = thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('Z_');
    if (isOfZlib) throw new ToolOutputError(`must be an undamaged gzip file, got a damaged one: ${thrown.message}`);
    throw thrown;
  }
}
