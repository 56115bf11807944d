/**
 * Assigns error messages in iperf3's text to its tests. Standard error is not buffered but standard output may be, so a
 * message can precede lines that were printed before it.
 */
import { numberIn } from '../../parsers/text-lines';

interface MessagesOfFile {
  readonly tests: readonly MessagesOfTest[];
  /** Messages above the first test. */
  readonly earlyErrors: string[];
}

export interface MessagesOfTest {
  readonly errors: string[];
  /** Messages of a server that had finished this test and was waiting for the next one. */
  readonly laterErrors: string[];
}

/** Returns a warning in place of an error that came after the test was over. */
export function afterTheEnd(error: string): string {
  return `after the end of the test: ${error.replace(/^iperf3: /, '')}`;
}

/** A server prints this when it is stopped, during a test or not; it is the last message of its process. */
const SERVER_INTERRUPTED = 'interrupt - the server has terminated';
const LISTENING = 'Server listening on ';
/** Version 3.9 does not number its tests; 3.12 does. */
const TEST_NUMBER = /\(test #(\d{1,9})\)/;

/**
 * | message                                                   | belongs to                                |
 * | --------------------------------------------------------- | ----------------------------------------- |
 * | the server was interrupted                                | the last test that its process printed    |
 * | the same, but the process last said that it was listening | no test, because the last one was over    |
 * | any other while the server is listening                   | no test, because the one above was over   |
 * | any other                                                 | the test above, if there is one           |
 */
export class TextErrors {
  readonly #file: MessagesOfFile;
  /** How many tests were over when the server last said that it was listening. */
  #finishedTests = 0;
  #testNumber: number | undefined;
  #interrupt: string | undefined;

  constructor(file: MessagesOfFile) {
    this.#file = file;
  }

  read(line: string, error: string | undefined): void {
    if (error === undefined) {
      if (line.includes(LISTENING)) this.#listen(numberIn(line, TEST_NUMBER));
    } else if (error.includes(SERVER_INTERRUPTED)) {
      this.endOfProcess();
      this.#interrupt = error;
    } else this.#add(error);
  }

  /** Assigns an interruption only here, because only the last output of a process shows what it was doing. */
  endOfProcess(): void {
    if (this.#interrupt !== undefined) this.#add(this.#interrupt);
    this.#interrupt = undefined;
  }

  #listen(testNumber: number | undefined): void {
    const isNewProcess = testNumber !== undefined && testNumber <= (this.#testNumber ?? 0);
    if (isNewProcess) this.endOfProcess();
    this.#testNumber = testNumber;
    this.#finishedTests = this.#file.tests.length;
  }

  #add(error: string): void {
    const test = this.#file.tests.at(-1);
    if (test === undefined) this.#file.earlyErrors.push(error);
    else if (this.#finishedTests === this.#file.tests.length) test.laterErrors.push(error);
    else test.errors.push(error);
  }
}
