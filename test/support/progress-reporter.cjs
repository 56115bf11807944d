/**
 * Says what a Jest run is doing while it prints nothing, which on a terminal the default reporter shows by itself. A file is
 * reported when it ends, and the longest take a minute. The lines are written by a thread, because a single file runs in
 * Jest's own process, whose timers then wait for the tests.
 */
const { Worker } = require('node:worker_threads');
const { relative } = require('node:path');

// As the lab's progress does (lab/runner/progress.py).
const SILENCE_SECONDS = 4;

module.exports = class ProgressReporter {
  #thread;
  #root;

  constructor(globalConfig) {
    this.#root = globalConfig.rootDir;
    if (process.stderr.isTTY) return;
    this.#thread = new Worker(`(${speak})()`, { eval: true, workerData: { silenceSeconds: SILENCE_SECONDS } });
    this.#thread.unref();
  }

  onRunStart({ numTotalTestSuites }) {
    if (this.#thread) process.stderr.write(`${numTotalTestSuites} files of tests\n`);
    this.#tell({ fileCount: numTotalTestSuites });
  }

  onTestFileStart({ path }) {
    this.#tell({ begun: relative(this.#root, path) });
  }

  onTestCaseResult() {
    this.#tell({ isTest: true });
  }

  onTestFileResult({ path }) {
    this.#tell({ ended: relative(this.#root, path) });
  }

  async onRunComplete() {
    await this.#thread?.terminate();
  }

  #tell(event) {
    this.#thread?.postMessage(event);
  }
};

/** Runs in the thread, and so may use nothing of this file. */
function speak() {
  const { writeSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  const seconds = () => performance.now() / 1000;
  const running = new Map();
  let fileCount = 0;
  let endedCount = 0;
  let testCount = 0;
  let lastLineAt = seconds();
  parentPort.on('message', (event) => {
    if (event.fileCount !== undefined) {
      fileCount = event.fileCount;
      lastLineAt = seconds();
    }
    if (event.begun) running.set(event.begun, seconds());
    if (event.isTest) testCount += 1;
    if (event.ended && running.delete(event.ended)) {
      endedCount += 1;
      lastLineAt = seconds(); // the default reporter prints a line for each file
    }
  });
  setInterval(() => {
    const now = seconds();
    if (now - lastLineAt < workerData.silenceSeconds) return;
    lastLineAt = now;
    const files = [...running].map(([file, since]) => `${file} for ${Math.round(now - since)} s`).join(', ');
    const doing = files === '' ? '' : `; running ${files}`;
    const text = `${endedCount} of ${fileCount} files, ${testCount} tests so far${doing}\n`;
    try {
      writeSync(2, text);
    } catch (error) {
      // A pipe that is full for a moment; the next line will do.
      if (error.code !== 'EAGAIN') throw error;
    }
  }, 500);
}
