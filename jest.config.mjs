/** Types are checked by `npm run check`; swc only strips them here. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.(ts|mjs)$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.lab'],
};
