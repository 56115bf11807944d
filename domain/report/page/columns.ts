/**
 * Tables, lists of figures, and the columns and badges that several of them have. On a phone each row of a table becomes
 * a card whose cells show their headings.
 */
import { NOT_MEASURED, gigabits, spaced } from '../../text/format';
import { html, isEmpty, trusted, type Html, type HtmlValue } from './html';
import { keepUnits } from './units';
import type { Interval } from '../../maths/interval';
import { CONDITIONS } from '../../model/conditions';
import type { ContendedShare } from '../../model/contended';
import { JUMBO_FRAME_BYTES } from '../../model/ec2-facts';
import { heldBackBy } from '../../model/latency-verdict';
import type { MeasurementResult } from '../../model/result';
import { wordsOf } from '../../model/setting';
import { settingsInWords } from '../../model/settings';
import { verdictWord, withheldCpuOf, type Cause, type VerdictKind } from '../../model/verdict';
import { intervalText, pairOfTypes, zoneNames } from '../../run/words';

export interface ReportColumn<Row> {
  readonly heading: string;
  readonly isNumber?: boolean;
  /** The column is kept wide, because its text would otherwise break after every word. */
  readonly isRoomy?: boolean;
  /** What the cell is sorted by, where it is not the number or the text that it begins with. */
  readonly order?: (row: Row) => number | undefined;
  /** Undefined is shown as a dash: nothing was measured. */
  readonly cell: (row: Row) => HtmlValue;
}

export function numberColumn<Row>(
  heading: string,
  cell: ReportColumn<Row>['cell'],
  order?: ReportColumn<Row>['order'],
): ReportColumn<Row> {
  return { heading, isNumber: true, cell, order };
}

export interface TableOptions<Row> {
  /** @default true */
  readonly stacksOnPhones?: boolean;
  /** Successive rows of the same value are a group, which has a title. */
  readonly groups?: { readonly by: (row: Row) => unknown; readonly title: (row: Row) => HtmlValue };
}

/** A longer table scrolls in a box of its own, so that a reader finds what follows it; printed, it is whole. */
const ROWS_WITHOUT_BOX = 24;

/**
 * A table without the columns in which no row has a value.
 * @param label what a screen reader calls the box of a long table
 */
export function reportTable<Row>(
  label: string,
  columns: readonly ReportColumn<Row>[],
  rows: readonly Row[],
  { stacksOnPhones = true, groups }: TableOptions<Row> = {},
): Html {
  const filled = columns
    .map((column) => ({ ...column, cells: rows.map((row) => column.cell(row)) }))
    .filter(({ cells }) => cells.some((cell) => !isEmpty(cell)));
  const className = (column: Pick<ReportColumn<Row>, 'isNumber' | 'isRoomy'>, isBlank = false) =>
    [column.isNumber && 'number', column.isRoomy && 'roomy', isBlank && 'empty'].filter(Boolean).join(' ');
  // A group's title would lose its rows, and a single row has no order.
  const isSortable = groups === undefined && rows.length > 1;
  const table = html`<table
    class="${[stacksOnPhones && 'stacks', isSortable && 'sortable n-last'].filter(Boolean).join(' ')}"
  >
    <thead>
      <tr>
        ${filled.map((column) => html`<th scope="col" class="${className(column)}">${wholeUnits(column.heading)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map((row, index) => {
        const previous = rows[index - 1];
        const isInGroup = previous !== undefined && groups?.by(previous) === groups?.by(row);
        const title = isInGroup ? undefined : groups?.title(row);
        return html`${
            !isEmpty(title) &&
            html`<tr class="group">
              <th colspan="${filled.length}" scope="rowgroup">${title}</th>
            </tr>`
          }
          <tr>
            ${filled.map((column) => {
              const cell = column.cells[index];
              const attributes = [
                stacksOnPhones ? `data-label="${html`${keepUnits(column.heading)}`.text}"` : undefined,
                isSortable ? orderOf(column, row) : undefined,
              ].filter((attribute) => attribute !== undefined);
              return html`<td class="${className(column, isEmpty(cell))}" ${trusted(attributes.join(' '))}>
                <div>${isEmpty(cell) ? NOT_MEASURED : cell}</div>
              </td>`;
            })}
          </tr> `;
      })}
    </tbody>
  </table>`;
  return rows.length > ROWS_WITHOUT_BOX
    ? html`<div class="scroll tall" tabindex="0" role="region" aria-label="${label}">${table}</div>`
    : html`<div class="scroll" tabindex="0">${table}</div>`;
}

/** The attribute that the script of the page sorts by; it has no infinity. */
function orderOf<Row>({ order }: ReportColumn<Row>, row: Row): string | undefined {
  const value = order?.(row);
  return value === undefined ? undefined : `data-sort="${Math.min(value, Number.MAX_VALUE)}"`;
}

/** Names with their values, without those that have no value. */
export function factList(
  facts: readonly (readonly [name: string, value: HtmlValue])[],
  className: 'facts' | 'facts figures' = 'facts',
): Html {
  return html`<dl class="${className}">
    ${facts.map(
      ([name, value]) =>
        !isEmpty(value) &&
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/**
 * The words of a heading, of which none is broken: Firefox breaks `Gbit/s` behind its stroke. A column may be narrower
 * than a rate with its unit, so these may stand one above the other.
 */
function wholeUnits(heading: string): HtmlValue {
  return heading
    .split(' ')
    .map(
      (word, index) =>
        html`${index > 0 && ' '}${word.includes('/') ? html`<span class="nowrap">${word}</span>` : word}`,
    );
}

/**
 * | tone         | the verdict says                                    | colour of Okabe and Ito |
 * | ------------ | --------------------------------------------------- | ----------------------- |
 * | `holds`      | the rate lasts                                      | bluish green            |
 * | `falls`      | the rate fell for good, or traffic stopped          | vermilion               |
 * | `wavers`     | the rate is not one level                           | reddish purple          |
 * | `limited`    | a limit that is named binds the rate                | blue                    |
 * | `undecided`  | the measurement does not show it                    | orange, and dashed      |
 */
type Tone = 'holds' | 'falls' | 'wavers' | 'limited' | 'undecided';

const TONES: Readonly<Record<VerdictKind, Tone>> = {
  steady: 'holds',
  drop: 'falls',
  drops: 'falls',
  cycle: 'falls',
  outage: 'falls',
  ramp: 'wavers',
  noisy: 'wavers',
  dips: 'wavers',
  shift: 'wavers',
  insufficient: 'undecided',
};

/** A level at all that was offered, or at a limit that nobody knows, leaves open what the pair carries. */
const OPEN_CAUSES: readonly (Cause | null)[] = ['tool_target', 'not_known'];

export interface BadgedVerdict {
  readonly kind: VerdictKind;
  readonly cause: Cause | null;
  /** The rate spends credits that did not run out while it was measured. */
  readonly bucketBitsAtLeast?: number | null;
}

/** The words say what the colour and the sign say, which the style sheet has for each tone. */
export function verdictBadge(verdict: BadgedVerdict): Html {
  return html`<span class="badge ${toneOf(verdict)}">${spaced(verdictWord(verdict))}</span>`;
}

function toneOf({ kind, cause, bucketBitsAtLeast = null }: BadgedVerdict): Tone {
  if (TONES[kind] !== 'holds') return TONES[kind];
  if (bucketBitsAtLeast !== null || OPEN_CAUSES.includes(cause)) return 'undecided';
  return cause === null ? 'holds' : 'limited';
}

export function statusBadge(status: MeasurementResult['status']): Html {
  // Only what is not as it should be has a colour: that a measurement is complete says nothing about the network.
  const tone = { complete: '', truncated: 'warn', failed: 'bad', not_applicable: '' }[status];
  return html`<span class="badge ${tone}">${spaced(status)}</span>`;
}

export function kindBadge({ verdict }: MeasurementResult): Html | undefined {
  if (verdict === null) return undefined;
  const kind = verdictBadge(verdict);
  return withheldCpuOf(verdict) === undefined ? kind : html`<span class="badge warn">out of CPU credits</span>${kind}`;
}

export function packetBadge({ packetVerdict }: MeasurementResult): HtmlValue {
  return packetVerdict && verdictBadge(packetVerdict);
}

/** Undefined unless other work kept the processors of a host busy, of how many of several; the cards have the figures. */
export function contentionBadge({ contendedCount, count }: ContendedShare): Html | undefined {
  if (contendedCount === 0) return undefined;
  const share = contendedCount < count && ` (${contendedCount} of ${count})`;
  return html`<span class="badge warn">processors busy${share}</span>`;
}

/** Undefined where no allowance of a host held the round trips back. */
export function heldBackBadge(result: MeasurementResult): Html | undefined {
  const cause = heldBackBy(result);
  return cause && html`<span class="badge warn">held back: ${spaced(cause)}</span>`;
}

export const subjectColumns: readonly ReportColumn<MeasurementResult>[] = [
  {
    heading: 'Client and server',
    cell: (result) =>
      html`<b class="nowrap">${pairOfTypes(result)}</b
        ><small>${result.measurementId}, ${result.tool}: ${settingsInWords(result)}</small>`,
  },
  {
    heading: 'Where',
    isRoomy: true,
    cell: (result) =>
      html`${spaced(result.zoneRelation)}<small>${zoneNames(result)}</small><small>${placementAndPath(result)}</small>`,
  },
];

/** Conditions in words. ENA Express and the MTU are mentioned only where they differ from EC2's defaults. */
export function placementAndPath(result: MeasurementResult): string {
  const { path, placement, enaExpress, enaExpressUdp, mtuBytes, clientCpuCredits, serverCpuCredits } = result;
  const hasEnaExpress = enaExpress !== 'off';
  return wordsOf(CONDITIONS, {
    path,
    placement,
    enaExpress: hasEnaExpress ? enaExpress : undefined,
    enaExpressUdp: hasEnaExpress ? enaExpressUdp : undefined,
    mtuBytes: mtuBytes === JUMBO_FRAME_BYTES ? undefined : mtuBytes,
    clientCpuCredits,
    serverCpuCredits,
  }).join(', ');
}

export function bucket({ verdict }: MeasurementResult): string | undefined {
  const atLeast = gigabits(verdict?.bucketBitsAtLeast);
  return gigabits(verdict?.bucket?.value) ?? (atLeast === undefined ? undefined : `≥ ${atLeast}`);
}

export function withInterval(
  interval: Interval | null | undefined,
  format: (value: number) => string,
): Html | undefined {
  const text = intervalText(interval, format);
  return text && html`${text.value}<small class="nowrap">${text.low}–${text.high}</small>`;
}
