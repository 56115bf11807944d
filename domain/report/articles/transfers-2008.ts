/** Throughput of parallel transfers between two hosts and to and from S3. Virginia, 2007 and 2008. */
import { toolSettings, type ToolSettings } from '../../tools/catalogue';
import type { Article } from './article';

/** Throughput of all streams together in bits per second, by the number of streams. */
export type TransferFigures = Readonly<Record<number, number>>;

/** Megabytes per second, as printed. */
const BETWEEN_HOSTS = { 1: 75, 2: 88, 3: 96 };
const STORE: Readonly<Partial<Record<string, TransferFigures>>> = {
  'download https': { 1: 12.6, 2: 21, 3: 31.3, 4: 37.5, 6: 46.6, 8: 49.8 },
  'download http': { 1: 10.2, 2: 20, 3: 29.6, 4: 37.6, 6: 46.5, 8: 51.5 },
  'upload https': { 1: 6.9, 2: 14.2, 4: 23.6, 6: 37.6, 8: 48, 12: 53.8 },
};

const MEGABYTE_BITS = 8e6;

function printedFor(settings: ToolSettings): TransferFigures | undefined {
  if (settings.tool === 's3') return STORE[`${settings.mode} ${settings.scheme}`];
  return settings.tool === 'http' && settings.scheme === 'http' ? BETWEEN_HOSTS : undefined;
}

export const TRANSFERS_2008: Article<TransferFigures> = {
  source: 'Network throughput within EC2 and to S3, RightScale, 2007 and 2008',
  name: 'article of 2008',
  planName: 'Article 2009',
  differs:
    'Measured from one of the first instance types, whose link carried about 0.8 Gbit/s, with objects of 1 GB over the ' +
    'public network of that time. There was no gateway endpoint, no request was for a range, and encryption took ' +
    'processor time that hardly matters today.',
  figuresOf: (result) => {
    const printed = printedFor(toolSettings(result));
    if (printed === undefined) return undefined;
    return Object.fromEntries(
      Object.entries(printed).map(([streams, megabytes]) => [streams, megabytes * MEGABYTE_BITS]),
    );
  },
};
