// In a locale that the machine does not have, every bash that a test starts begins with a complaint.
process.env.LC_ALL = 'C.UTF-8';

/** Types are checked by `npm run check`; swc only strips them here. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // What takes a second alone takes many on a machine that does other work as well.
  testTimeout: 120_000,
  transform: { '^.+\\.(ts|mjs|js)$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  // ES modules only, which Jest's own loader does not take on Node 20.
  transformIgnorePatterns: ['/node_modules/(?!(echarts|zrender)/)'],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.lab'],
};
