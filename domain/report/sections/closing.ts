/** How far the figures go, and where the rows behind them are. */
import type { Html } from '../html';
import { html } from '../html';
import type { ReportInput } from '../report-input';

export function caveatsSection(): Html {
  return html`<section id="caveats">
    <h2>Before you rely on these figures</h2>
    <ul class="caveats">
      <li>
        <b>They are not guaranteed.</b> AWS publishes a baseline and a peak for most types; how long a burst lasts it
        does not publish, and may change at any time.
      </li>
      <li>
        <b>They vary with time and place.</b> Another zone, another host below the instance, another hour gives other
        figures. Repeat a measurement before you decide on it, each time on a fresh pair: a used one has spent its
        network credits.
      </li>
      <li>
        <b>Compare relatively.</b> Measurements of one run, made in the same way, say which type does better. They do
        not say what your application will get.
      </li>
      <li>
        <b>Both ends count.</b> A pair is as fast as its slower end allows, and a single flow outside a cluster
        placement group has a limit of its own.
      </li>
      <li>
        <b>The bucket is a model.</b> It assumes that the credits were full at the start and that nothing else on the
        host spent them.
      </li>
    </ul>
  </section>`;
}

export function athenaSection({ run, athena }: ReportInput): Html {
  const where = athena
    ? html`in database <code>${athena.database}</code> with workgroup <code>${athena.workGroup}</code>`
    : html`in the result store's Athena workgroup`;
  const filter = `WHERE day = ${sqlText(run.day)} AND run_id = ${sqlText(run.runId)}`;
  return html`<section id="query">
    <h2>Query the results</h2>
    <p>
      Every figure here is a row in Athena, ${where}. The saved queries there ask the usual questions: throttle onsets,
      series of one measurement, comparison of instance types, latency percentiles, live throughput.
    </p>
    <pre><code>SELECT measurement_id, client_type, server_type, verdict_kind, onset_seconds,
       burst_bits_per_second, baseline_bits_per_second, rtt_p99_micros
FROM measurements
${filter}
ORDER BY measurement_id</code></pre>
    <pre><code>SELECT measurement_id, direction, start_seconds, throughput_bits_per_second
FROM samples
${filter} AND metric = 'throughput'
ORDER BY measurement_id, direction, start_seconds</code></pre>
  </section>`;
}

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`;
