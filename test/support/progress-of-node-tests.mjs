/**
 * A reporter of node:test beside another one: says which tests are running while nothing is printed, because a report of
 * 1,000 measurements keeps a browser busy for a quarter of a minute.
 */
import { relative } from 'node:path';

// As the lab's progress does (lab/runner/progress.py).
const SILENCE_SECONDS = 4;
const CHECK_MILLIS = 500;

export default async function* progress(events) {
  const running = new Map();
  let passedCount = 0;
  let lastEventAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - lastEventAt < 1000 * SILENCE_SECONDS) return;
    lastEventAt = now;
    const tests = [...running].map(([test, since]) => `${test} for ${Math.round((now - since) / 1000)} s`).join(', ');
    process.stderr.write(`${passedCount} tests so far; running ${tests}\n`);
  }, CHECK_MILLIS);
  try {
    for await (const { type, data } of events) {
      // Both come when it happens; `test:start` and `test:pass` wait for the tests that were written before.
      if (type === 'test:dequeue') running.set(nameOf(data), performance.now());
      if (type === 'test:complete' && running.delete(nameOf(data))) passedCount += 1;
      if (type === 'test:pass' || type === 'test:fail') lastEventAt = performance.now();
      yield '';
    }
  } finally {
    clearInterval(timer);
  }
}

function nameOf({ name, file = '' }) {
  const path = relative(process.cwd(), file);
  return path === name || name === file ? path : `${path}: ${name}`;
}
