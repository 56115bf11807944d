/** Throughput and round trips within one network and between two. Virginia, 2015. */
import type { MeasurementResult } from '../../model/result';
import type { Article } from './article';

export interface NetworkFigures {
  readonly meanBitsPerSecond: number;
  readonly meanRoundTripMicros: number;
}

/** Means of ten runs as printed, in MB/s of 2^20 bytes and in microseconds, by the path that is most similar today. */
const PRINTED: Partial<Record<MeasurementResult['path'], readonly [megabytes: number, micros: number]>> = {
  public: [44.272, 1246.827],
  peering: [43.41, 884.26],
  private: [45.864, 877.985],
};

export const NETWORKS_2015: Article<NetworkFigures> = {
  source: 'Performance of ClassicLink, Gengo, Virginia, 2015 (in Japanese)',
  name: 'article of 2015',
  planName: 'Article 2015',
  differs:
    'Measured between m3.medium hosts in two zones, whose link carried less than 0.4 Gbit/s. Its three networks no longer ' +
    'exist: here the public address takes the place of EC2-Classic, and VPC peering that of ClassicLink.',
  figuresOf: ({ path, zoneRelation, protocol, targetBitsPerSecond }) => {
    const printed = PRINTED[path];
    if (printed === undefined || zoneRelation !== 'other_zone' || protocol !== 'tcp') return undefined;
    // The article's tool sent as fast as it could.
    if (targetBitsPerSecond !== undefined) return undefined;
    return { meanBitsPerSecond: printed[0] * 2 ** 20 * 8, meanRoundTripMicros: printed[1] };
  },
};
