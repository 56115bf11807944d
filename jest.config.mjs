// Without this, every bash that a test starts prints a warning on a machine that lacks the caller's locale.
process.env.LC_ALL = 'C.UTF-8';

/** Types are checked by `npm run check`; swc only strips them here. */
export default {
  testEnvironment: 'node',
  cacheDirectory: '<rootDir>/.cache/jest',
  globalSetup: '<rootDir>/test/support/temporary-folder/setup.cjs',
  globalTeardown: '<rootDir>/test/support/temporary-folder/teardown.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // Far above what any test takes, because a busy machine can slow a test down many times over.
  testTimeout: 120_000,
  // By default Jest leaves one core idle, which on a machine of two is half of it.
  maxWorkers: '100%',
  reporters: ['default', '<rootDir>/test/support/progress-reporter.cjs', '<rootDir>/test/support/count-reporter.cjs'],
  // Jest runs tests in a VM context, where each look-up of a global goes through an interceptor. Passing the globals that
  // the numeric code uses as arguments of the module makes the detector's tests twelve times as fast.
  sandboxInjectedGlobals: ['Math', 'Number', 'Array', 'Object'],
  transform: { '^.+\\.(ts|mjs|js)$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  // These packages are ES modules only, which Jest's own loader does not read.
  transformIgnorePatterns: ['/node_modules/(?!(echarts|hyparquet|hyparquet-writer|p-map|zrender)/)'],
  // These run in browsers, by node:test: scripts/test-browser.sh.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/browser/'],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.lab'],
};
