/** What is known of instance types, for a terminal: a table of all, then each figure with its source. ASCII only. */
import { listed, priceText } from '../answer/words';
import type { KnownFigure, KnownFigures, PublishedType } from '../forecast/known-figures';
import { groupBy } from '../maths/elements';
import type { Source } from '../model/source';
import { counted, gigabits, grouped } from '../text/format';
import { columnTable, type TextColumn } from '../text/text-table';
import { blocks, figures, fitted, words } from './columns';
import { plain } from './verdict-line';

export interface KnownType {
  readonly type: PublishedType;
  readonly figures: KnownFigures;
}

type FigureName = keyof KnownFigures;

/** How a figure is shown. In the table of several types, columns of a higher rank are left out first. */
interface Shown {
  readonly heading: string;
  readonly unit: string;
  readonly text: (value: number) => string;
  readonly rank?: number;
}

const rate = (heading: string, rank?: number): Shown => ({ heading, unit: 'Gbit/s', text: gigabits, rank });
const time = (heading: string, rank?: number): Shown => {
  return { heading, unit: 's', text: (seconds) => grouped(Math.round(seconds)), rank };
};

const SHOWN: Readonly<Record<FigureName, Shown>> = {
  baselineBitsPerSecond: rate('baseline'),
  peakBitsPerSecond: rate('peak'),
  burstBitsPerSecond: rate('burst', 4),
  burstSeconds: time('burst lasts'),
  bucketBits: { heading: 'bucket', unit: 'Gbit', text: gigabits, rank: 2 },
  refillSeconds: time('refill', 3),
  packetsPerSecond: { heading: 'packets per second', unit: '', text: grouped, rank: 9 },
  flowBitsPerSecond: rate('one flow', 6),
  clusterFlowBitsPerSecond: rate('one flow in a cluster group', 7),
  enaExpressFlowBitsPerSecond: rate('one flow over ENA Express', 7),
  internetGatewayBitsPerSecond: rate('through an internet gateway', 8),
  networkCardCount: { heading: 'network cards', unit: '', text: grouped, rank: 8 },
  usdPerHour: { heading: 'price', unit: 'USD/h', text: priceText, rank: 1 },
};
const NAMES = Object.keys(SHOWN) as FigureName[];

/** `527 s (513 to 562)`, `300 to 3 600 s`, or why there is no figure: `none`, `unknown`. */
function figureText({ value, low, high, absent }: KnownFigure, text: Shown['text'], unit = ''): string {
  const withUnit = (words: string) => `${words} ${unit}`.trimEnd();
  const range = low === undefined || high === undefined ? undefined : `${text(low)} to ${text(high)}`;
  if (value === null) return range === undefined ? (absent ?? '') : withUnit(range);
  return withUnit(text(value)) + (range === undefined ? '' : ` (${range})`);
}

const columns: readonly TextColumn<KnownType>[] = [
  words('type', ({ type }) => type.instanceType),
  ...NAMES.map((name) => {
    const { heading, unit, text, rank } = SHOWN[name];
    const named = `${heading} ${unit}`.trim();
    const brief = ({ figures: { [name]: figure } }: KnownType) =>
      figure.value === null ? figureText(figure, text) : text(figure.value);
    const column = figures(named, (row: KnownType) => figureText(row.figures[name], text), rank);
    return { ...column, brief: { heading: named, cell: brief } };
  }),
];

const sourceText = ({ name, date }: Source) => `${name}, ${date}`;

interface Row extends Shown {
  readonly figure: KnownFigure;
}

const detailColumns: readonly TextColumn<Row>[] = [
  words('figure', ({ heading }) => heading),
  words('value', ({ figure, unit, text }) => {
    const value = figureText(figure, text, unit);
    const { measurementCount: count } = figure;
    return count === undefined ? value : `${value}, ${counted(count, 'measurement')}`;
  }),
  words('source', ({ figure }) => sourceText(figure.source)),
];

function detail({ type, figures }: KnownType, width: number | undefined): string {
  const { instanceType, recordedAs = instanceType, vcpuCount, architecture } = type;
  const rows = NAMES.map((name): Row => ({ ...SHOWN[name], figure: figures[name] }));
  const heading =
    `${instanceType}: ${counted(vcpuCount, 'vCPU')}, ${architecture}` +
    (recordedAs === instanceType ? '' : `; its network figures are recorded under ${recordedAs}`);
  const noted = groupBy(
    rows.filter(({ figure }) => figure.note !== undefined),
    ({ figure }) => figure.note ?? '',
  );
  const notes = [...noted].map(([note, of]) => `${listed(of.map((row) => row.heading))}: ${note}`);
  return blocks([fitted([heading], width), columnTable(detailColumns, rows, width), fitted(notes, width)]);
}

/** @param width as in `columnTable` */
export function typesText(types: readonly KnownType[], width?: number): string {
  const sources = types.flatMap(({ figures }) => NAMES.map((name) => figures[name].source));
  const texts = new Set(sources.map((source) => `${sourceText(source)}: ${source.text}`));
  const table = types.length > 1 ? columnTable(columns, types, width) : '';
  const details = types.map((type) => detail(type, width));
  return blocks([table, ...details, fitted([...texts], width)])
    .split('\n')
    .map(plain)
    .join('\n');
}
