/** The least and the most throughput within half an hour, by instance type. Seoul, 2018. */
import { toolSettings } from '../../tools/catalogue';
import type { Article } from './article';

export interface BurstFigures {
  /** Absent where the article states a single figure. */
  readonly minBitsPerSecond?: number;
  readonly maxBitsPerSecond: number;
}

/** Gbit/s. */
const ONE_STREAM: Readonly<Record<string, readonly [min: number | undefined, max: number]>> = {
  't2.medium': [0.2, 0.5],
  't2.2xlarge': [undefined, 1],
  'm4.large': [undefined, 0.5],
  'm4.4xlarge': [undefined, 2],
  'm4.16xlarge': [undefined, 10],
  'm5.2xlarge': [2.5, 9.6],
  'm5.24xlarge': [undefined, 10],
  'c5.18xlarge': [undefined, 10],
};

const SEVERAL_STREAMS: typeof ONE_STREAM = {
  'm4.16xlarge': [undefined, 20],
  'm5.24xlarge': [undefined, 20],
  'c5.18xlarge': [undefined, 20],
};

/** Every other type of these two families reached about 10 Gbit/s. */
const UP_TO_TEN = /^[mc]5\./;

export const BURSTS_2018: Article<BurstFigures> = {
  source: 'Network bandwidth of EC2 types, GS Neotek, Seoul, 2018 (in Korean)',
  name: 'article of 2018',
  planName: 'Article 2018',
  differs:
    'Measured for 30 minutes between hosts of the same type in one zone, over one stream, and over five for the largest ' +
    'types. Today a single stream outside a cluster placement group is limited to 5 Gbit/s. A run that is shorter than ' +
    'the burst never shows the lowest rate.',
  figuresOf: (result) => {
    const { clientType, serverType, zoneRelation, placement } = result;
    const settings = toolSettings(result);
    if (clientType !== serverType || zoneRelation !== 'same_zone' || placement !== 'none') return undefined;
    // The article's tools sent as fast as they could.
    if (settings.tool !== 'iperf3' || settings.protocol !== 'tcp' || settings.targetBitsPerSecond !== undefined) {
      return undefined;
    }
    const named = (settings.parallelStreams === 1 ? ONE_STREAM : SEVERAL_STREAMS)[clientType] ?? ONE_STREAM[clientType];
    const figures = named ?? (UP_TO_TEN.test(clientType) ? ([undefined, 10] as const) : undefined);
    if (figures === undefined) return undefined;
    const [min, max] = figures;
    return { minBitsPerSecond: min === undefined ? undefined : min * 1e9, maxBitsPerSecond: max * 1e9 };
  },
};
