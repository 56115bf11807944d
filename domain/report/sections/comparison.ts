/** This run beside the same measurements of earlier runs. */
import type { MeasurementResult } from '../../model/result';
import { gigabits, micros, seconds } from '../../text/format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import type { Comparison, ReportInput } from '../report-input';
import { reportTable } from '../table';
import { drivenStatistics, rttOf } from '../verdict-table';
import { settingsInWords } from '../../model/settings';
import { pairOfTypes } from '../wording';
import { spaced } from '../../text/format';

interface Compared {
  readonly result: MeasurementResult;
  readonly earlier: Comparison;
}

export function comparisonSection({ results, comparisons, comparisonsUnavailable }: ReportInput): Html | undefined {
  if (comparisons === undefined) {
    return comparisonsUnavailable === undefined
      ? undefined
      : section(html`<p>Earlier runs could not be asked: ${comparisonsUnavailable}</p>`);
  }
  const byId = new Map(results.map((result) => [result.measurementId, result]));
  const compared = comparisons.flatMap((earlier): Compared[] => {
    const result = byId.get(earlier.measurementId);
    return result && earlier.earlierCount > 0 ? [{ result, earlier }] : [];
  });
  if (compared.length === 0) return section(html`<p>No earlier run measured the same pairs in the same way.</p>`);
  return section(
    html`<p class="lead">This run, and below it the median of the same measurement in earlier runs.</p>
      <div class="card">
        ${reportTable<Compared>(
          [
            {
              heading: 'Measurement',
              cell: ({ result }) =>
                html`<b>${pairOfTypes(result)}</b
                  ><small
                    >${result.measurementId}: ${spaced(result.zoneRelation)}, ${result.tool}
                    ${settingsInWords(result)}</small
                  >`,
            },
            {
              heading: 'Earlier',
              isNumber: true,
              cell: ({ earlier }) => html`${earlier.earlierCount}<small>${days(earlier)}</small>`,
            },
            rate('Mean, Gbit/s', (it) => drivenStatistics(it)?.throughputBitsPerSecond?.mean, 'meanBitsPerSecond'),
            rate('Burst, Gbit/s', (it) => it.verdict?.burst?.value, 'burstBitsPerSecond'),
            rate('Baseline, Gbit/s', (it) => it.verdict?.baseline?.value, 'baselineBitsPerSecond'),
            both('Onset, s', seconds, (it) => it.verdict?.onset?.value, 'onsetSeconds'),
            both('Round trip p50, µs', micros, (it) => rttOf(it)?.p50, 'rttP50Micros'),
            both('p99, µs', micros, (it) => rttOf(it)?.p99, 'rttP99Micros'),
          ],
          compared,
        )}
      </div>`,
  );
}

function section(body: Html): Html {
  return html`<section id="comparison">
    <h2>Compared with earlier runs</h2>
    ${body}
  </section>`;
}

const days = ({ firstDay, lastDay }: Comparison) =>
  firstDay === undefined || lastDay === undefined || firstDay === lastDay ? lastDay : `${firstDay} to ${lastDay}`;

type EarlierValue = Exclude<keyof Comparison, 'measurementId' | 'earlierCount' | 'firstDay' | 'lastDay'>;

const rate = (heading: string, now: (result: MeasurementResult) => number | null | undefined, key: EarlierValue) =>
  both(heading, gigabits, now, key);

/** Now, below it earlier and the change in percent. */
function both(
  heading: string,
  format: (value: number | null | undefined) => string | undefined,
  now: (result: MeasurementResult) => number | null | undefined,
  key: EarlierValue,
) {
  return {
    heading,
    isNumber: true,
    cell: ({ result, earlier }: Compared): HtmlValue => {
      const before = earlier[key];
      const current = now(result) ?? undefined;
      if (before === undefined && current === undefined) return undefined;
      const change =
        before !== undefined && current !== undefined && before > 0
          ? signedPercent((current - before) / before)
          : undefined;
      return html`${format(current) ?? '–'}<small class="nowrap"
          >${format(before) ?? '–'}${change !== undefined && ` (${change})`}</small
        >`;
    },
  };
}

function signedPercent(ratio: number): string {
  const rounded = Math.round(ratio * 100);
  return `${rounded > 0 ? '+' : rounded < 0 ? '−' : '±'}${Math.abs(rounded)} %`;
}
