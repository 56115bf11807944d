/** Round trips by placement and enhanced networking. 2016. */
import type { EnaExpress } from '../../model/conditions';
import type { MeasurementResult } from '../../model/result';
import type { Article } from './article';

export interface PlacementFigures {
  readonly minMicros: number;
  readonly meanMicros: number;
  readonly maxMicros: number;
}

type Place = 'cluster' | 'same zone' | 'other zone';

/** The shortest, mean and longest of a hundred round trips, in milliseconds, as printed. */
const PRINTED_MILLIS: Readonly<Record<EnaExpress, Readonly<Record<Place, readonly [number, number, number]>>>> = {
  off: { cluster: [0.239, 0.301, 0.41], 'same zone': [0.318, 0.385, 0.814], 'other zone': [2.088, 2.16, 2.686] },
  one_side: { cluster: [0.201, 0.252, 0.347], 'same zone': [0.26, 0.326, 0.419], 'other zone': [2.015, 2.102, 2.768] },
  both: { cluster: [0.13, 0.157, 0.172], 'same zone': [0.202, 0.22, 0.389], 'other zone': [1.985, 2.023, 2.644] },
};

function placeOf({ placement, zoneRelation }: MeasurementResult): Place | undefined {
  if (zoneRelation === 'other_zone') return 'other zone';
  return placement === 'cluster' ? 'cluster' : placement === 'none' ? 'same zone' : undefined;
}

export const PLACEMENTS_2016: Article<PlacementFigures> = {
  source: 'Enhanced networking and placement groups, Classmethod, 2016 (in Japanese)',
  name: 'article of 2016',
  planName: 'Article 2016',
  differs:
    'Measured between c3.large hosts with single-root I/O virtualisation off, on one side and on both sides; here ENA ' +
    'Express takes its place. Every current instance has single-root I/O virtualisation, and ENA Express may make an idle ' +
    'network slower rather than faster. It carries TCP and UDP but not ICMP echoes, so its effect shows only in round ' +
    'trips over TCP, which the article does not have.',
  figuresOf: (result) => {
    const place = placeOf(result);
    if (result.tool !== 'ping' || place === undefined || result.path !== 'private') return undefined;
    const [min, mean, max] = PRINTED_MILLIS[result.enaExpress][place];
    return { minMicros: min * 1000, meanMicros: mean * 1000, maxMicros: max * 1000 };
  },
};
