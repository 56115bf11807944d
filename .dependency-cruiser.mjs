/**
 * The dependency law of the repository: `lib → domain ← lambdas`, the layers of `domain/`, and no circles.
 * `npm run check` holds it, and test/architecture/dependency-law.test.ts shows that it catches every kind of offence.
 */

/**
 * The folders of `domain/`, from the bottom to the top. A folder imports only from the rows above its own in this list,
 * so two folders of one row never see each other.
 */
export const DOMAIN_LAYERS = [
  ['maths', 'text'],
  ['model'],
  ['series', 'workflow'],
  ['detection', 'parsers', 'tables'],
  ['assembly', 'forecast', 'verdict'],
  ['tools'],
  ['analysis', 'plan'],
  ['repetitions'],
  ['answer'],
  ['fit', 'history'],
  ['run'],
  ['terminal'],
  ['report'],
];

/** The folders of `domain/report/`, in the same order; the page itself is put together above all of them. */
const REPORT_LAYERS = [['interactive'], ['page'], ['charts'], ['answer', 'cards', 'index-page', 'sections']];

const rulesOf = (root, layers) =>
  layers.flatMap((layer, index) =>
    layer.map((folder) => ({
      name: `${root}/${folder}`.replaceAll('/', '-'),
      comment: `${root}/${folder}/ imports only from the layers below it (docs/architecture.md, "The layers of domain/").`,
      severity: 'error',
      from: { path: `^${root}/${folder}/` },
      to: {
        path: `^${root}/`,
        pathNot: `^${root}/(${[folder, ...layers.slice(0, index).flat()].join('|')})/`,
      },
    })),
  );

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Files that import each other, directly or by way of others, can only be understood together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...rulesOf('domain', DOMAIN_LAYERS),
    ...rulesOf('domain/report', REPORT_LAYERS),
    {
      name: 'domain-is-layered',
      comment: 'Every file of domain/ is in a folder that DOMAIN_LAYERS lists.',
      severity: 'error',
      from: { path: '^domain/', pathNot: `^domain/(${DOMAIN_LAYERS.flat().join('|')})/` },
      to: {},
    },
    {
      name: 'domain-is-pure',
      comment: 'domain/ imports itself, zod and, for the report, echarts: no clock, no file system, no SDK.',
      severity: 'error',
      from: { path: '^domain/' },
      to: { pathNot: ['^domain/', '^node_modules/zod/'], path: '^(?!node_modules/echarts/)' },
    },
    {
      name: 'charts-in-the-report-only',
      comment: 'Only the report draws charts.',
      severity: 'error',
      from: { path: '^domain/', pathNot: '^domain/report/' },
      to: { path: '^node_modules/echarts/' },
    },
    {
      name: 'report-from-handlers-only',
      comment:
        'Only handlers and the command that writes one render pages; what else needs the outcome of a run reads domain/run/.',
      severity: 'error',
      from: { path: '^(bin|lambdas|lib|prove)/', pathNot: '^(lambdas/[^/]+/handler|bin/fit)\\.ts$' },
      to: { path: '^domain/report/' },
    },
    {
      name: 'lib-is-synth-time',
      comment: 'lib/ imports itself, domain/, zod and the CDK; it refers to handlers and scripts by their file paths.',
      severity: 'error',
      from: { path: '^lib/' },
      to: {
        pathNot: ['^(lib|domain)/', '^node_modules/(aws-cdk-lib|constructs|yaml|zod)/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'lambdas-are-run-time',
      comment: 'lambdas/ never imports synth-time code.',
      severity: 'error',
      from: { path: '^lambdas/' },
      to: { path: ['^(lib|bin|test)/', '^node_modules/(aws-cdk-lib|constructs)/'] },
    },
    {
      name: 'adapters-know-no-handler',
      comment: 'adapters/ imports of lambdas/ only errors/, which imports nothing of it: all others may import both.',
      severity: 'error',
      from: { path: '^lambdas/(adapters|errors)/' },
      to: { path: '^lambdas/', pathNot: ['^lambdas/errors/', '^lambdas/$1/'] },
    },
    {
      name: 'sdk-in-adapters-only',
      comment: 'SDK clients are created in adapters/; other files may import the types of the SDK.',
      severity: 'error',
      from: { path: '^(lambdas|bin|test/on-aws)/', pathNot: '^(lambdas|test/on-aws)/adapters/' },
      to: { path: '^node_modules/@(aws-sdk|smithy)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere hides every offence behind it.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types count too: a circle of types is still a circle for the reader.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
