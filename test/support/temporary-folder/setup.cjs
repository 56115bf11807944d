/**
 * Gives the tests a folder of the checkout for temporary files, which `teardown.cjs` removes after the last of them. Each
 * `App` of the CDK leaves a folder among its temporary files, and in the machine's they would add up.
 */
const { mkdirSync, readdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { FOLDER, ROOT } = require('./path.cjs');

module.exports = () => {
  mkdirSync(FOLDER, { recursive: true });
  // A run that was killed could not remove its own.
  for (const name of readdirSync(ROOT)) {
    if (!isAlive(Number(name))) rmSync(join(ROOT, name), { recursive: true, force: true });
  }
  process.env.TMPDIR = FOLDER;
};

function isAlive(id) {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
