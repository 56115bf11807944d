import tseslint from 'typescript-eslint';
import awscdk from 'eslint-plugin-awscdk';

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
  {
    // The inner loops of the detector. A checked access instead of `!` takes 15 to 25 % longer per series
    // (`npx tsx scripts/bench-detector.ts`); everywhere else `domain/maths/elements.ts` checks the index.
    files: ['domain/detection/{gradual,onset-likelihood,segmentation}.ts', 'domain/maths/statistics.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
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
