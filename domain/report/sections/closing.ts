/** What to keep in mind before relying on the figures, and where the rows behind them can be queried. */
import { html } from '../page/html';
import type { ReportInput } from '../../run/report-input';
import type { Section } from '../page/contents';

export function caveatsSection(): Section {
  return {
    id: 'caveats',
    title: 'Before you rely on these figures',
    html: html`
      <ul class="caveats">
        <li>
          <b>They are not guaranteed.</b> AWS publishes a baseline and a peak for most types. It does not publish how
          long a burst lasts, and may change that at any time.
        </li>
        <li>
          <b>They vary with time and place.</b> Another zone, another physical host or another hour gives other figures.
          Before you decide anything, repeat the measurement, each time on a fresh pair: a used pair has spent its
          network credits.
        </li>
        <li>
          <b>Use them for comparison.</b> Measurements of one run that were made in the same way show which type does
          better. They do not show what your application will get.
        </li>
        <li>
          <b>Both ends count.</b> A pair is only as fast as its slower end, and a single flow outside a cluster
          placement group has a limit of its own.
        </li>
        <li>
          <b>The credit bucket is a model.</b> It assumes that the credits were full at the start and that nothing else
          on the host spent any.
        </li>
      </ul>
    `,
  };
}

export function athenaSection({ run, athena }: ReportInput): Section {
  const where = athena
    ? html`in database <code>${athena.database}</code> with workgroup <code>${athena.workGroup}</code>`
    : html`in the result store's Athena workgroup`;
  const filter = `WHERE day = date ${sqlText(run.day)} AND run_id = ${sqlText(run.runId)}`;
  return {
    id: 'query',
    title: 'Query the results',
    html: html`
      <p>
        The figures of this report are rows in Athena, ${where}. Saved queries there answer the usual questions:
        throttle onsets, the series of one measurement, a comparison of instance types, latency percentiles and live
        throughput.
      </p>
      <pre><code>SELECT measurement_id, client_type, server_type, verdict_kind, verdict_cause, onset_seconds,
       burst_bits_per_second, baseline_bits_per_second, rtt_p99_micros,
       expected_usd, cost_usd
FROM measurements
${filter}
ORDER BY measurement_id</code></pre>
      <pre><code>SELECT measurement_id, direction, start_seconds, throughput_bits_per_second
FROM samples
${filter} AND metric = 'throughput'
ORDER BY measurement_id, direction, start_seconds</code></pre>
    `,
  };
}

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`;
