/**
 * Reads the text of a result file, or of standard input, in bounded memory: a file that is not a tool's output is
 * refused after its beginning, and of a long text only what the analysis uses is kept.
 */
import { checkBeginning, SummedStreams } from '../domain/tools/parse-tool-output';
import { ToolOutputError } from '../domain/parsers/tool-output';
import { fileText } from './file-text';

/** The first line of a tool must come within this many characters; otherwise the rest of the file is not read. */
const BEGINNING_CHARACTERS = 1 << 20;
/** 32 streams of two hours have a hundred million characters of JSON. The analysis takes about ten bytes for each. */
const MAX_CHARACTERS = 128 << 20;
/** Lines of almost six days at one a second. The analysis takes about 2.3 kB for each line of a tool's text. */
const MAX_LINES = 500_000;
const TOO_LONG =
  `must hold at most ${MAX_CHARACTERS >> 20} MiB of text and ${MAX_LINES} lines (indented lines, and those of parallel ` +
  "streams whose sum the tool prints, don't count), got more: split the file into one file per test, or give the rates " +
  'as series (--series), which have no limit';

export interface ResultText {
  readonly text: string;
  /** Whether the gzip file lacks its end, so that the text is only what could be unpacked. */
  readonly isCutOff: boolean;
}

/** @throws Error for a file that is not text, not a tool's output, too long or damaged; it does not name the file */
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

/** A text that arrives piece by piece. Its beginning is kept whole. */
class GrowingText {
  private readonly kept: string[] = [];
  private line: string[] = [];
  private length = 0;
  private lineCount = 0;
  /** Shortens what follows the beginning; undefined until then. */
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
    // Indented lines do not count: a JSON document has many short ones.
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

/** A text may have some bytes that are damaged or of another encoding; most bytes of a binary file are unreadable. */
const MAX_UNREADABLE_SHARE = 0.1;

/** Refuses a text of mostly unreadable characters. Zeros, which a crash leaves in logs, count neither way. */
function refuseBinary(text: string): void {
  let zeros = 0;
  let unreadable = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0) zeros += 1;
    // Terminals leave backspace to carriage return, and escape, in a log.
    else if (code === 0xfffd || (code < 0x20 && (code < 0x08 || code > 0x0d) && code !== 0x1b)) unreadable += 1;
  }
  const isBinary = unreadable > MAX_UNREADABLE_SHARE * (text.length - zeros);
  if (isBinary) throw new ToolOutputError('must be text or gzip, got a binary file');
}

/** Names gzip in the errors of zlib. */
async function* undamaged(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (thrown) {
    const isOfZlib = thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('Z_');
    if (isOfZlib) throw new ToolOutputError(`must be an undamaged gzip file, got a damaged one: ${thrown.message}`);
    throw thrown;
  }
}
