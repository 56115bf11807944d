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
  ['history'],
  ['report'],
];

const layerRules = DOMAIN_LAYERS.flatMap((layer, index) =>
  layer.map((folder) => ({
    name: `domain-${folder}`,
    comment: `domain/${folder}/ imports only from the layers below it (docs/architecture.md, "The layers of domain/").`,
    severity: 'error',
    from: { path: `^domain/${folder}/` },
    to: {
      path: '^domain/',
      pathNot: `^domain/(${[folder, ...DOMAIN_LAYERS.slice(0, index).flat()].join('|')})/`,
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
    ...layerRules,
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
      name: 'lib-is-synth-time',
      comment: 'lib/ imports itself, domain/ and the CDK; it refers to handlers and scripts by their file paths.',
      severity: 'error',
      from: { path: '^lib/' },
      to: {
        pathNot: ['^(lib|domain)/', '^node_modules/(aws-cdk-lib|constructs|yaml)/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'lambdas-are-run-time',
      comment: 'lambdas/ never imports synth-time code.',
      severity: 'error',
      from: { path: '^lambdas/' },
      to: { path: ['^(lib|bin|prove)/', '^node_modules/(aws-cdk-lib|constructs)/'] },
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
      from: { path: '^(lambdas|bin|prove)/', pathNot: '^(lambdas|prove)/adapters/' },
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
