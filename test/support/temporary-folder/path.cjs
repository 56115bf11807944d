const { join } = require('node:path');

/** Where runs of Jest have their temporary files, each in a folder of the name of its process. */
exports.ROOT = join(__dirname, '../../../.cache/tmp');
exports.FOLDER = join(exports.ROOT, String(process.pid));
