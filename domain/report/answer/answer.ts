/** The first section: what was measured and what came out, in sentences, one table and three charts. */
import { scaledModelInWords } from '../../model/scaled-model';
import { counted } from '../../text/format';
import { html, type Html } from '../page/html';
import type { ReportInput } from '../../run/report-input';
import type { Section } from '../section';
import { answerCharts } from './answer-charts';
import { answerTable, isWide } from './answer-table';
import { askedRates } from '../../run/asked-rates';
import { inUnit, timeUnitOf, type TimeUnit } from './hold-unit';
import { answerSentences } from './sentences';
import { typeRows, type RepeatedHold, type TypeRow } from '../../run/type-rows';

/** Nothing for a run that measured neither throughput nor percentiles of round trips. */
export function answerSection({
  results,
  pairCosts,
  seriesOf,
}: Pick<ReportInput, 'results' | 'pairCosts' | 'seriesOf'>): Section | undefined {
  const { rows, shared } = typeRows(results, pairCosts);
  if (rows.length === 0) return undefined;
  const rates = askedRates(rows);
  const unit = timeUnitOf(rows, rates);
  const sentences = answerSentences(rows, rates, unit);
  return {
    id: 'answer',
    title: 'The answer',
    html: html`${
        sentences.length > 0 &&
        html`<ul class="answers">
          ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
        </ul>`
      }
      <div class="card">${answerTable(rows, rates, unit)} ${tableNotes(rows, rates, unit)}</div>
      <p class="sub">${counted(rows.length, 'pair')} of types${shared !== '' && html`: ${shared}`}</p>
      ${answerCharts(rows, seriesOf)}`,
  };
}

/** Whether the repetitions are not all of the kind that is shown. */
const isDivided = ({ alike, count }: RepeatedHold) => alike < count;

function tableNotes(rows: readonly TypeRow[], rates: readonly number[], unit: TimeUnit): Html {
  const isBound = (bound: string) => rows.some(({ sustained }) => sustained?.bound === bound);
  const holds = rows.flatMap(({ holdOf }) => rates.flatMap((rate) => holdOf(rate) ?? []));
  const isPriced = rows.some(({ hourlyUsd }) => hourlyUsd !== undefined);
  const [model] = rows.flatMap(({ scaledModel }) => scaledModel ?? []);
  const notes = [
    model !== undefined && `${scaledModelInWords(model)}; figures per USD are at the scale of EC2.`,
    rates.length > 0 &&
      `How long a rate is held is counted from full credits${isPriced ? ', and below it stands how long for each USD that the pair costs an hour' : ''}. Always: it is sustained. Never: it is not reached. A rate counts as reached from 94 % of it, because tools count payload without headers.`,
    holds.some(({ range }) => range && isWide(range, (seconds) => inUnit(seconds, unit))) &&
      'Where repetitions differ, their shortest and longest time stand below; the 95 % interval of each measurement is in its card.',
    holds.some(isDivided) && '1 of 2: so it came out in so many of the repetitions, and differently in the others.',
    isBound('at_most') &&
      '≤: no drop was seen beyond doubt, but the type is published to sustain less, so this rate may not last.',
    isBound('at_least') && '≥: the load offered no more.',
    rows.some(({ contended }) => contended.contendedCount > 0) &&
      'Processors busy: other work kept those of a host busy, and the figures may show that instead of the network.',
    isPriced && 'The price is that of both instances for an hour, by the prices of the plan.',
    'Below other figures stand their 95 % intervals.',
  ].filter((note) => note !== false);
  return html`<p class="sub">${notes.join(' ')}</p>`;
}
