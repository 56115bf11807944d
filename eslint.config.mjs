import tseslint from 'typescript-eslint';
import awscdk from 'eslint-plugin-awscdk';
import regexp from 'eslint-plugin-regexp';

const UNBOUNDED_ARGUMENTS =
  'Every argument of a call takes a place on the stack, which overflows from about 120,000 arguments on. ' +
  'Use smallest and largest of domain/maths/statistics.ts, flat(), a loop, or a parameter that is a list.';

const NO_SPREAD_ARGUMENTS = [
  {
    // A spread in a list ([...items]) is no argument, and may have any length.
    selector: ':matches(CallExpression, NewExpression) > SpreadElement.arguments',
    message: UNBOUNDED_ARGUMENTS,
  },
  { selector: "CallExpression[callee.property.name='apply']", message: UNBOUNDED_ARGUMENTS },
];

const UNCHECKED_ERROR_NAME =
  'A name that no test compares with AWS: decide with isNamed or withExpectedErrors, which take the names of ' +
  'lambdas/errors/aws-errors.ts.';

export default tseslint.config(
  { ignores: ['node_modules/', 'cdk.out/', 'dist/', 'examples/cdk-app/', '.lab/', '.cache/', 'coverage/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // `({ tool, ...settings }) => settings` is how a key is left out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // A number in a message needs no conversion; an object or a missing value in one is a mistake.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['{bin,domain,lambdas,lib,research,scripts,test/on-aws}/**/*.{js,mjs,ts}'],
    rules: {
      'no-restricted-syntax': ['error', ...NO_SPREAD_ARGUMENTS],
    },
  },
  {
    files: ['lambdas/**/*.ts'],
    ignores: ['lambdas/errors/aws-errors.ts', 'lambdas/adapters/answers.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...NO_SPREAD_ARGUMENTS,
        { selector: "CallExpression[callee.name='errorCode']", message: UNCHECKED_ERROR_NAME },
        {
          selector: 'MemberExpression[property.name=/^(name|[cC]ode)$/][object.name=/(error|thrown|cause|reason)$/i]',
          message: UNCHECKED_ERROR_NAME,
        },
      ],
    },
  },
  { files: ['lib/**/*.ts', 'bin/network-benchmark.ts'], extends: [awscdk.configs.recommended] },
  {
    // The CDK's RetentionDays is an enumeration of numbers of days, and the days are facts of the service.
    files: ['lib/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-enum-assignment': 'off' },
  },
  {
    // Patterns whose time grows with the square of a text: product code reads files from anywhere.
    files: ['{bin,domain,lambdas,lib,test/on-aws}/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
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
    // (`npx tsx research/detection-stress.ts --seed 7001`); everywhere else `domain/maths/elements.ts` checks the index.
    files: ['domain/detection/{observe,onset-likelihood,rules/slope}.ts', 'domain/maths/statistics.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // A fake object is made out of a real one, and what it reads is typed where it is read.
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // A test states what its fixtures hold; where that is wrong, the test fails by itself.
      '@typescript-eslint/no-non-null-assertion': 'off',
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
