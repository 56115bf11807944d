/** Ends a Jest run with the line that `scripts/test.sh` adds up over the lanes, and fails a run that skipped a test. */
module.exports = class CountReporter {
  #skippedCount = 0;
  #isWholeRun;

  constructor(globalConfig) {
    this.#isWholeRun = !globalConfig.testNamePattern;
  }

  onRunComplete(_contexts, results) {
    this.#skippedCount = results.numPendingTests + results.numTodoTests;
    const failedCount = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.stdout.write(`${results.numPassedTests} passed, ${failedCount} failed\n`);
  }

  getLastError() {
    // Jest counts the tests that `-t` leaves out as skipped.
    if (this.#isWholeRun && this.#skippedCount > 0)
      return new Error(`${this.#skippedCount} tests were skipped; nothing may be skipped`);
  }
};
