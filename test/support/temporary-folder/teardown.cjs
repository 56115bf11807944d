const { rmSync } = require('node:fs');
const { FOLDER } = require('./path.cjs');

module.exports = () => {
  rmSync(FOLDER, { recursive: true, force: true });
};
