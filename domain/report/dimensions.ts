/**
 * What tells the measurements of a run apart, in words. A chart's rows name only what differs between them; what they all
 * have in common is said once, above.
 */
import type { MeasurementResult } from '../model/result';
import { SETTING_WORDS } from '../model/setting-words';
import { spaced } from '../text/format';

/** One word or phrase of a measurement; undefined where it has no such dimension. */
type Dimension = (result: MeasurementResult) => string | undefined;

const DIMENSIONS: readonly Dimension[] = [
  ({ clientType, serverType, direction }) =>
    clientType === serverType
      ? clientType
      : direction === 'reverse'
        ? `${clientType} ← ${serverType}`
        : `${clientType} → ${serverType}`,
  ({ zoneRelation }) => spaced(zoneRelation),
  ({ placement }) => placementWords(placement),
  ({ path }) => pathWords(path),
  ({ enaExpress, enaExpressUdp }) => enaExpressWords(enaExpress, enaExpressUdp),
  ({ mtuBytes }) => `MTU ${mtuBytes}`,
  ({ tool }) => tool,
  ...SETTING_WORDS,
];

export const placementWords = (placement: MeasurementResult['placement']) =>
  placement === 'none' ? 'no placement group' : `${placement} group`;

export const pathWords = (path: MeasurementResult['path']) =>
  ({ private: 'private address', public: 'public address', nlb: 'load balancer', peering: 'VPC peering' })[path];

export function enaExpressWords(sides: MeasurementResult['enaExpress'], isForUdp: boolean): string {
  return `ENA Express ${spaced(sides)}${isForUdp ? ', UDP too' : ''}`;
}

export interface Distinguished {
  /** One for each result: what it does not share with all others; what it is called when nothing differs. */
  readonly labels: readonly string[];
  /** What all share, in one line. */
  readonly shared: string;
}

/** @param results at least one */
export function distinguish(results: readonly MeasurementResult[]): Distinguished {
  const words = DIMENSIONS.map((dimension) => results.map(dimension));
  const differs = (of: readonly (string | undefined)[]) => new Set(of).size > 1;
  const shared = words.filter((of) => !differs(of)).flatMap((of) => of[0] ?? []);
  const differing = words.filter(differs);
  return {
    labels: results.map((_, index) => differing.flatMap((of) => of[index] ?? []).join(', ') || words[0]![index]!),
    shared: shared.join(', '),
  };
}
