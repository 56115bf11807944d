/** The stack as a test sees it: synthesised without bundling, with the same context as `npx cdk synth`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { NetworkBenchmarkStack } from '../../lib/network-benchmark-stack';
import { settingsIn } from '../../lib/settings';

const STACK_NAME = 'NetworkBenchmark';

export function newStack(context: Record<string, unknown> = {}): NetworkBenchmarkStack {
  // Two thirds of a synthesis is the CDK's own check of the template; template-validation.test.ts runs it.
  process.env.CDK_VALIDATION = 'false';
  return stackOf(newApp(context));
}

/** The stack of an app, with the app's context as `bin/network-benchmark.ts` reads it. */
export function stackOf(app: App): NetworkBenchmarkStack {
  return new NetworkBenchmarkStack(app, STACK_NAME, settingsIn(app.node.getAllContext() as Record<string, unknown>));
}

export function newApp(context: Record<string, unknown> = {}, builtinCloudFormationValidation = false): App {
  const cdkJson = JSON.parse(readFileSync(join(__dirname, '../../cdk.json'), 'utf8')) as { context: object };
  return new App({
    context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [], ...context },
    analyticsReporting: false,
    // Seven seconds of processor time per synthesis; template-validation.test.ts has it, and cfn-lint reads the same
    // template in a test.
    builtinCloudFormationValidation,
  });
}

let template: Template | undefined;

/** Of the stack with its defaults; made once per test file. */
export function defaultTemplate(): Template {
  template ??= Template.fromStack(newStack());
  return template;
}

/** From here on, the template of this test file is that of a stack with this context. */
export function synthesiseWith(context: Record<string, unknown>): void {
  template = Template.fromStack(newStack(context));
}

export interface CfnResource {
  readonly Type: string;
  readonly Properties: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

export function resourcesOf(type: string): Record<string, CfnResource> {
  return defaultTemplate().findResources(type) as Record<string, CfnResource>;
}

/** The one resource of a type whose logical id begins so. */
export function resource(type: string, idPrefix: string): CfnResource {
  const found = Object.entries(resourcesOf(type)).filter(([id]) => id.startsWith(idPrefix));
  if (found.length !== 1)
    throw new Error(`${type} ${idPrefix}…: must be one resource, got ${found.map(([id]) => id).join(', ')}`);
  return found[0]![1];
}

/** Leaves out the hashes of code: in its key, and at the end of the id of a function's version. */
export const withoutCodeHashes = <Resources>(resources: Resources) =>
  JSON.parse(
    JSON.stringify(resources)
      .replace(/[0-9a-f]{64}(\.zip)/g, 'HASH$1')
      .replace(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1'),
  ) as Resources;

/** A value of the template as text, references as `<LogicalId>` or `<LogicalId.Attribute>`. */
export function flatten(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, argument] = Object.entries(value as Record<string, any>)[0]!;
  if (name === 'Ref') return `<${argument}>`;
  if (name === 'Fn::GetAtt') return `<${argument.join('.')}>`;
  if (name === 'Fn::Join') return argument[1].map(flatten).join(argument[0]);
  return JSON.stringify(value);
}

/** An expression of the template over the zones that Fn::GetAZs lists. */
export function evaluate(value: unknown, listedZones: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => evaluate(item, listedZones));
  const [name, argument] = Object.entries(value)[0]!;
  if (name === 'Fn::GetAZs') return listedZones;
  const [first, second] = evaluate(argument, listedZones) as [string | number, string | string[]];
  if (name === 'Fn::Join') return (second as string[]).join(String(first));
  if (name === 'Fn::Split') return (second as string).split(String(first));
  const selected = second[first as number];
  if (name !== 'Fn::Select' || selected === undefined) throw new Error(`${name}: no value at index ${first}`);
  return selected;
}

export interface State {
  readonly Type: string;
  readonly Resource?: string;
  readonly Next?: string;
  readonly Default?: string;
  readonly End?: boolean;
  readonly TimeoutSeconds?: number;
  readonly Arguments?: any;
  readonly Assign?: Record<string, unknown>;
  readonly Output?: unknown;
  readonly Items?: unknown;
  readonly Seconds?: unknown;
  readonly MaxConcurrency?: unknown;
  readonly Error?: unknown;
  readonly Cause?: unknown;
  readonly Choices?: { readonly Next: string; readonly Condition: string; readonly Assign?: Record<string, unknown> }[];
  readonly Catch?: {
    readonly ErrorEquals: string[];
    readonly Next: string;
    readonly Assign?: Record<string, unknown>;
  }[];
  readonly Retry?: {
    readonly ErrorEquals: string[];
    readonly MaxAttempts: number;
    readonly IntervalSeconds: number;
    readonly BackoffRate: number;
    readonly MaxDelaySeconds?: number;
    readonly JitterStrategy?: string;
  }[];
  readonly ItemSelector?: Record<string, unknown>;
  readonly ItemProcessor?: Definition;
}

export interface Definition {
  readonly StartAt: string;
  readonly QueryLanguage?: string;
  readonly TimeoutSeconds?: number;
  readonly States: Record<string, State>;
}

export const MACHINES = ['PairBenchmark', 'NetworkBenchmark', 'OperationsLaterLooks'] as const;
export type Machine = (typeof MACHINES)[number];

/** The machine's definition with its references flattened into ARNs that look like ARNs. */
export function definition(machine: Machine): Definition {
  const { DefinitionString } = resource('AWS::StepFunctions::StateMachine', `${machine}StateMachine`).Properties;
  return JSON.parse(flatten(DefinitionString).replaceAll('<AWS::Partition>', 'aws')) as Definition;
}

/** Every state, those of the item processors of Maps included, by name. */
export function allStates({ States }: Definition): Record<string, State> {
  const inner = Object.values(States).map((state) =>
    state.ItemProcessor === undefined ? {} : allStates(state.ItemProcessor),
  );
  return Object.assign({}, States, ...inner) as Record<string, State>;
}

/** Where a state can go from here, by whatever way. */
export function successors(state: State): string[] {
  return [
    ...(state.Next === undefined ? [] : [state.Next]),
    ...(state.Default === undefined ? [] : [state.Default]),
    ...(state.Choices ?? []).map((choice) => choice.Next),
    ...(state.Catch ?? []).map((caught) => caught.Next),
  ];
}
