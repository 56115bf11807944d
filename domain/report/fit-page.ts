/** Renders the answer of `npm run fit` as a page: the sentence, why, how sure and from what source, then the table. */
import { creditsSource } from '../forecast/credits';
import type { ExaminedType } from '../fit/examined-type';
import type { FitPicture } from '../fit/picture';
import type { TransferFit } from '../fit/transfer';
import type { TypeFit } from '../fit/type-fit';
import type { Bounds } from '../maths/interval';
import type { Source } from '../model/source';
import { held } from '../run/words';
import type { FitAnswer } from '../terminal/fit-table';
import { comparedBits, comparedRate, spaced, upperFirst } from '../text/format';
import type { TextColumn } from '../text/text-table';
import { fitChart } from './charts/fit-chart';
import { withNotes } from './page/columns';
import { html, type Html } from './page/html';
import { renderPage, sectionHtml } from './page/page';
import { reportTable, type ReportColumn } from './page/table';

/** @param earlier the source of a deployment's own results, where there are any */
export function renderFit(answer: FitAnswer<TypeFit>, picture: FitPicture, earlier?: Source): string {
  const fits = picture.candidates.map(({ fit }) => fit);
  const sources = fits.map((fit) => {
    const { name, date } = creditsSource(fit, earlier);
    return `${spaced(fit.source)} of ${fit.instanceType} (${name}, ${date})`;
  });
  const reasons = [CREDITS, ...fits.map(reasonOf), sources.length > 0 && `Sources: ${sources.join('; ')}.`];
  const evidence = html`<ul class="answers">
      ${reasons.map((reason) => reason && html`<li>${reason}</li>`)}
    </ul>
    <div class="card">
      <p class="sub">${captionOf(picture)}</p>
      ${fitChart(picture)}
    </div>`;
  return pageOf('Which EC2 instance type holds this traffic?', answer, earlier, evidence, WORDS);
}

export function renderTransfer(answer: FitAnswer<TransferFit>, earlier?: Source): string {
  return pageOf('Which EC2 instance type carries this transfer?', answer, earlier);
}

function pageOf<Row extends ExaminedType>(
  question: string,
  { sentences: [answer, ...more], columns, rows, notes }: FitAnswer<Row>,
  earlier: Source | undefined,
  evidence?: Html,
  words?: string,
): string {
  const sources = rows.map((type) => creditsSource(type, earlier));
  const all = [...notes, ...new Set(sources.map(({ name, date, text }) => `${name}, ${date}: ${text}.`))];
  const table = html`${words && html`<p class="lead">${words}</p>`}
    <div class="card">${reportTable('The types', columns.map(pageColumn), rows)}</div>`;
  const list = html`<ul class="caveats">
    ${all.map((note) => html`<li>${note}</li>`)}
  </ul>`;
  return renderPage({
    title: question,
    header: html`<header class="page">
      <p class="product">EC2 Network Bench</p>
      <h1>${question}</h1>
    </header>`,
    main: html`<section id="answer">
        <p class="answer">${answer}</p>
        ${more.map((sentence) => html`<p>${sentence}</p>`)} ${evidence}
      </section>
      ${sectionHtml({ id: 'types', title: 'The types', html: table })}
      ${sectionHtml({ id: 'notes', title: 'What the answer rests on', html: list })}`,
    footer: 'EC2 Network Bench',
    isLandscape: true,
    results: [],
  });
}

const CREDITS =
  'A host sends above its baseline as long as it has credits. Without credits, it is throttled to the baseline.';
const WORDS =
  'Certainly throttled: even the largest likely bucket of credits is too small. Never: even the smallest is enough, ' +
  'however the traffic lies within its intervals. Perhaps: neither, or nobody has measured the bucket. “Transfer takes” ' +
  'is about the largest stretch above the baseline. Small figures are the likely range.';

/** The bounds that an answer rests on. */
const AT_LEAST = ({ low }: Bounds) => `at least ${comparedBits(low)}`;
const AT_MOST = ({ high }: Bounds) => `at most ${comparedBits(high)}`;
const BETWEEN = ({ low, high }: Bounds) => `${comparedBits(low)} to ${comparedBits(high)}`;
/** Of the credits that the traffic needs, and of those that the type has. */
const BOUNDS = { never: [AT_MOST, AT_LEAST], perhaps: [BETWEEN, BETWEEN], certainly: [AT_LEAST, AT_MOST] } as const;

function reasonOf(type: TypeFit): string {
  const { instanceType, throttled, peakBitsPerSecond: peak, baselineBitsPerSecond: baseline, bucketBits } = type;
  const [fit] = type.series;
  const [needed, has] = BOUNDS[throttled];
  const first = fit.firstThrottleSeconds?.value ?? null;
  const answer = `${instanceType} is ${throttled} throttled${first === null ? '' : `, first after ${held(first)}`}`;
  if (fit.isAbovePeak) return `${answer}: the traffic exceeds its peak of ${comparedRate(peak)}.`;
  if (!bucketBits?.high) return `${answer}: its baseline of ${comparedRate(baseline)} is enough.`;
  return `${answer}: the traffic needs ${needed(fit.neededBits)} of credits, and it has ${has(bucketBits)}.`;
}

function captionOf({ instance, direction, candidates, firstThrottleSeconds: first }: FitPicture): string {
  const throttle = `${candidates.at(-1)?.fit.instanceType} is first throttled at the vertical line, as expected.`;
  return `The trace: ${instance}, ${spaced(direction)}. ${first === null ? '' : throttle}`;
}

/** The same cell as in the terminal, with the range below the figure. */
function pageColumn<Row>({ heading, cell, alignRight }: TextColumn<Row>): ReportColumn<Row> {
  return {
    // vCPUs keeps its small letter.
    heading: heading.replace(/^[a-z](?=[a-z ])/, upperFirst),
    isNumber: alignRight,
    cell: (row) => {
      const [value, range] = alignRight ? (cell(row) ?? '').split(/ \(|\)$/) : [cell(row)];
      return withNotes(value, range);
    },
  };
}
