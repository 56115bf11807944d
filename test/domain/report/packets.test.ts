/** How the report, the lines and the tables show packets per second. */
import { expect, test } from '@jest/globals';
import { keepUnits } from '../../../domain/report/page/html';
import { runSummary, summaryToJson } from '../../../domain/run/summary';
import { verdictLine } from '../../../domain/terminal/verdict-line';
import { verdictTable } from '../../../domain/terminal/verdict-table';
import { chartedMeasurementIds } from '../../../domain/run/charted';
import { packetResult, packetSeries, packetVerdict, steadyResult } from '../../support/measurement-results';
import { renderReport, reportInput } from '../../support/report-input';

const page = (results = [packetResult()], series = packetSeries()) => {
  const seriesOf = new Map(results.map(({ measurementId }) => [measurementId, series]));
  return renderReport(reportInput({ results, seriesOf, failedPairs: [], earlierRuns: [] }));
};

test('the report has a table and a chart in packets per second, and none in Gbit/s', () => {
  const text = page();
  for (const shown of ['thousand packets per second', 'Packets per second over time of p0001-m04', 'baseline 410']) {
    expect(text).toContain(shown);
  }
  expect(text).toContain('onset 60.4\u00a0s');
  expect(text).toContain(keepUnits(packetVerdict.explanation).replaceAll("'", '&#39;'));
  // Each would be a heading without a table.
  expect(text).not.toMatch(/id="(?:verdicts|throughput|streams)"/);
});

test('a level without an onset has the line of its mean', () => {
  const level = packetResult({
    packetVerdict: { ...packetVerdict, onset: null, burst: null },
    statistics: { packetsPerSecond: { mean: 410e3 } },
  });
  expect(page([level], packetSeries(60, 0))).toContain('mean 410');
});

test('without its series, the report says so', () => {
  expect(page([packetResult()], [])).toContain('The series is not available.');
});

test('a run without packets has no such section', () => {
  expect(page([steadyResult()])).not.toContain('id="packets"');
});

test('the series of packets are fetched for the report', () => {
  expect(
    chartedMeasurementIds([packetResult(), packetResult({ measurementId: 'p0002-m01', status: 'failed' })]),
  ).toEqual(['p0001-m04']);
});

test('the line and the table of a run have packets per second', () => {
  expect(verdictLine(packetResult())).toBe(
    `p0001-m04 c5.xlarge to c5.9xlarge, same_zone: drop, packet_rate: ${packetVerdict.explanation}`,
  );
  const table = verdictTable([packetResult()]);
  expect(table).toMatch(/burst lasts s \(95 %\) +burst k packets\/s +carried to the end \(95 %\) +mean/);
  expect(table).toMatch(
    /drop, packet_rate +60\.4 \(60\.3 to 60\.6\) +1\u202f251 +410 \(410 to 411\) +692 +sender +0\.98/,
  );
});

test('repetitions are compared in packets per second', () => {
  const results = [1, 2, 3].map((repetition) =>
    packetResult({ repetition, pairId: `p000${repetition}`, measurementId: `p000${repetition}-m04` }),
  );
  const { run, pairs } = { run: { plan: { name: 'x' } }, pairs: [] };
  const summary = runSummary({
    run: { ...run, runId: 'r', createdAt: '', expectedUsd: null, upperUsd: null },
    pairs,
    results,
    endedAt: '',
    interruptedReason: null,
    warnings: [],
    earlierRuns: [],
    reportUri: '',
  });
  expect(summary.repetitions.map(({ figure, mean }) => [figure, mean])).toEqual([
    ['meanPacketsPerSecond', 692e3],
    ['burstPacketsPerSecond', 1_251e3],
    ['baselinePacketsPerSecond', 410_200],
  ]);
  expect(summaryToJson(summary).measurements[0]!.packetVerdict).toEqual(packetVerdict);
});
