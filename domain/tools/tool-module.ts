/**
 * What a tool is to us. A tool is one module of this folder, listed in `catalogue.ts`; with its documents, its parser and
 * its tests that is all there is to it: no other file knows its name (test/architecture/tools.test.ts).
 */
import type * as z from 'zod';
import type { AssembledMeasurement, MeasurementStreams } from '../assembly/assemble-measurement';
import type { MeasurementSettings, MetricKind } from '../model/settings';
import type { PairConditions } from '../model/conditions';
import type { ChunkHeader, RawLine } from '../model/raw-chunk';
import type { ToolInterval } from '../parsers/tool-output';
import type { PlannedMeasurement } from '../model/planned-run';

/** A document that runs on one host, and the parameters that are the tool's own. */
export interface ToolDocument {
  /** Folder under `ssm-documents/`. */
  readonly document: string;
  parameters(measurement: PlannedMeasurement): Readonly<Record<string, string>>;
}

/** One thing that a plan's entry may not say, though its schema lets it through: where in the entry, and what is allowed. */
export interface ToolPlanProblem {
  readonly key: string;
  readonly allowed: string;
}

/** What some lines of a tool tell of its series. */
export interface PrintedSeries {
  readonly intervals: readonly ToolInterval[];
  /** Unix time at which its time axis begins; absent where these lines do not tell. */
  readonly originSeconds?: number;
}

/** Methods and not functions, so that modules of different plans fit into one list. */
export interface ToolModule<Plan> {
  readonly name: string;
  /** An entry of a plan's `measurements`: an object whose `tool` is the name. */
  readonly plan: z.ZodType<Plan>;
  /** Debian packages that the hosts install for it, and programs that must be there then. */
  readonly packages: readonly string[];
  readonly programs: readonly string[];
  /** Absent: nothing runs on the server. */
  readonly serve?: ToolDocument;
  readonly measure: ToolDocument;
  /** What the client measures is the way to the payload bucket, and not to the pair's server. @default false */
  readonly usesPayloadBucket?: boolean;
  /** What the client measures against; the server, unless told otherwise. */
  readonly otherEnd?: 'object_store';
  /** How long the tool runs beyond its measuring time: connecting, warming up, exchanging results. */
  readonly overheadSeconds: number;

  settings(plan: Plan): MeasurementSettings;
  problems?(plan: Plan): readonly ToolPlanProblem[];
  /** How often on the same pair; only of what spends no credits. */
  repetitionsOnPair?(plan: Plan): number;

  kind(settings: MeasurementSettings): MetricKind;
  /** Whether measuring with it uses up network I/O credits, so that it needs a pair nobody measured on before. */
  spendsCredits(settings: MeasurementSettings): boolean;
  /** Whether the server side leaves a stream of lines of its own. */
  hasServerStream(settings: MeasurementSettings): boolean;
  /** Absent: it prints none, and its time axis begins when it is started. */
  printedSeries?(header: ChunkHeader, lines: readonly RawLine[]): PrintedSeries;
  /** Why this can't be measured between hosts in these conditions; undefined when it can. */
  notApplicable?(settings: MeasurementSettings, pair: PairConditions): string | undefined;

  assemble(streams: MeasurementStreams, measurement: MeasurementSettings): AssembledMeasurement;
}
