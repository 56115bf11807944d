/** A tool: a folder here, listed in `catalogue.ts`, and its SSM documents. No other file knows the tool's name. */
import { upperFirst } from '../text/format';
import * as z from 'zod';
import type { AssembledMeasurement } from '../assembly/assemble-measurement';
import type { MeasurementStreams } from '../assembly/raw-streams';
import type { MessageRoute } from '../forecast/message-volume';
import type { ToolFigureName } from '../model/expectation';
import { LONGEST_MEASUREMENT_SECONDS } from '../model/service-facts';
import { SETTINGS, type MeasurementSettings, type MetricKind, type SettingName } from '../model/settings';
import type { PairConditions } from '../model/conditions';
import type { ChunkHeader, RawLine } from '../model/raw-chunk';
import type { ToolInterval } from '../parsers/tool-output';
import type { PlannedMeasurement } from '../model/planned-run';
import type { OutputForm } from './output-forms';

/** A planned measurement with exactly the settings of one tool. */
export type Planned<Settings> = Omit<PlannedMeasurement, SettingName> & Settings;

/** The parameters of a document, except those that all tools' documents have. */
export type ToolParameters = Readonly<Record<string, string | number>>;

type ScalarSetting = Exclude<SettingName, 'dutyCycle' | 'latencyProbe'>;

/** Returns settings as parameters: `durationSeconds` is `DurationSeconds`. Documents take 0 for an absent setting. */
export function parametersOf(
  measurement: Pick<PlannedMeasurement, ScalarSetting | 'port'>,
  ...names: readonly (ScalarSetting | 'port')[]
): ToolParameters {
  return Object.fromEntries(names.map((name) => [upperFirst(name), measurement[name] ?? 0]));
}

/** A value that the schema accepts but the tool does not: its key in the plan's entry, and what is allowed. */
export interface ToolPlanProblem {
  readonly key: string;
  readonly allowed: string;
}

type PlanCheck = readonly [isWrong: boolean, key: string, allowed: string];

export function planProblems(checks: readonly PlanCheck[]): ToolPlanProblem[] {
  return checks.filter(([isWrong]) => isWrong).map(([, key, allowed]) => ({ key, allowed }));
}

/** The part of a tool's series that some of its lines show. */
export interface PrintedSeries {
  readonly intervals: readonly ToolInterval[];
  /** Unix time at which the time axis begins; absent if these lines do not show it. */
  readonly originSeconds?: number;
}

/** The settings that decide which figures a measurement has, so that these are known even if other fields are wrong. */
export type FigureSettings = Pick<MeasurementSettings, 'mode' | 'protocol'>;

/** The members are methods and not function properties, so that modules of different plans fit into one list. */
export interface ToolModule<Plan, Settings extends MeasurementSettings = MeasurementSettings> {
  readonly name: string;
  /** An entry of a plan's `measurements`: an object whose `tool` is the name. */
  readonly plan: z.ZodType<Plan>;
  /** The output that is analysed offline, in words for messages, and its forms; absent if the tool has none. */
  readonly output?: { readonly inWords: string; readonly forms: readonly OutputForm[] };
  /** The programs that the hosts need, each with its Debian package. */
  readonly programs: Readonly<Record<string, string>>;
  /** The parameters of the document `serve-<name>`; absent if nothing runs on the server. */
  serve?(measurement: Planned<Settings>): ToolParameters;
  /** The parameters of the document `measure-<name>`. */
  measure(measurement: Planned<Settings>): ToolParameters;
  /** Whether the client measures the route to the payload bucket and not to the pair's server. @default false */
  readonly usesPayloadBucket?: boolean;
  /** How long the tool runs besides measuring: connecting, warming up, exchanging results. */
  readonly overheadSeconds: number;

  /** Returns everything that the measurement is asked to do, including defaults. */
  settings(plan: Plan): Settings;
  problems?(plan: Plan): readonly ToolPlanProblem[];
  /** How often to measure: on the same pair unless that spends credits. */
  repetitionsOnPair?(plan: Plan): number;

  kind(settings: FigureSettings): MetricKind;
  /** The figures besides those of the measurement's kind. @default none */
  ownFigures?(settings: FigureSettings): readonly ToolFigureName[];
  /** Whether the measurement spends network credits of these hosts and therefore needs a fresh pair. */
  spendsCredits(settings: Settings, route: MessageRoute): boolean;
  /** Absent if the tool prints no series; its time axis then begins when it is started. */
  printedSeries?(header: ChunkHeader, lines: readonly RawLine[]): PrintedSeries;
  /**
   * Who sends, for a stream whose host's interface counters are the throughput while the tool runs, because it prints
   * no series; undefined for the other host. Absent if the tool prints one, or measures no throughput.
   */
  countedDirection?(header: ChunkHeader): 'forward' | 'reverse' | undefined;
  /** Why this can't be measured under these conditions; undefined if it can. */
  notApplicable?(settings: Settings, pair: PairConditions): string | undefined;

  assemble(streams: MeasurementStreams, settings: Settings): AssembledMeasurement;
}

// Fields that the plan entries of several tools share.

export const durationSeconds = SETTINGS.durationSeconds.schema
  .min(5)
  .max(LONGEST_MEASUREMENT_SECONDS)
  .describe('How long the tool runs, in seconds');

export const protocol = SETTINGS.protocol.schema.default('tcp');

export const repetitionsOnPair = z
  .int()
  .min(1)
  .max(50)
  .default(1)
  .describe('How often on the same pair; where that spends network credits, each on a fresh pair of its own');

export const scheme = SETTINGS.scheme.schema.default('http').describe('With https, encryption is measured too');

export const parallelTransfers = SETTINGS.parallelStreams.schema
  .default(4)
  .describe('How many transfers run at once, each in a curl of its own');
