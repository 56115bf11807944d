import tseslint from 'typescript-eslint';
import awscdk from 'eslint-plugin-awscdk';

/** The dependency law of the house: lib → domain ← lambdas; the SDK only in lambdas/adapters. */
const restrict = (files, patterns, ignores = []) => ({
  files,
  ignores,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

export default tseslint.config(
  { ignores: ['node_modules/', 'cdk.out/', '.lab/', '.cache/', 'coverage/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // `({ tool, ...settings }) => settings` is how a key is left out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Regular expression groups and checked array indexes are asserted where the line above proves them.
      '@typescript-eslint/no-non-null-assertion': 'off',
      eqeqeq: 'error',
    },
  },
  { files: ['lib/**/*.ts', 'bin/network-benchmark.ts'], extends: [awscdk.configs.recommended] },
  restrict(
    ['domain/**/*.ts'],
    [
      {
        regex: '^(?!\\.{1,2}/|zod$|echarts)',
        message: 'domain/ is pure: it imports itself, zod and, for the report, echarts.',
      },
      { regex: '(^|/)(lambdas|lib|bin)/', message: 'domain/ imports nothing but itself.' },
    ],
  ),
  {
    files: ['domain/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'process', message: 'domain/ reads no environment.' }],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'domain/ has no clock: pass the time in.' },
        { object: 'Math', property: 'random', message: 'domain/ has no randomness: pass a seed in.' },
      ],
    },
  },
  restrict(['lib/**/*.ts'], [{ regex: '(^|/)lambdas/|^@aws-sdk/', message: 'lib/ sees handlers as file paths only.' }]),
  restrict(
    ['lambdas/**/*.ts'],
    [{ regex: '^@aws-sdk/|^aws-cdk-lib|(^|/)lib/', message: 'SDK clients live in lambdas/adapters/.' }],
    ['lambdas/adapters/**'],
  ),
  {
    files: ['test/**/*.ts'],
    rules: {
      // A fake of an asynchronous interface often has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      'no-restricted-properties': [
        'error',
        ...['describe', 'it', 'test'].flatMap((object) =>
          ['only', 'skip', 'todo'].map((property) => ({ object, property, message: 'nothing is skipped or focused' })),
        ),
      ],
    },
  },
  {
    // A synthesised template is untyped JSON; the assertions say what its shape must be.
    files: ['test/{lib,workflow,architecture}/**/*.ts', 'test/support/synth.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
