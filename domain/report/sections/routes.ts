/**
 * Shows the routes between the hosts: a few spaced round trips, the hops, and the largest packet that gets through. The
 * account's own routes have a second table with the result of `probe-path` before the measurements.
 */
import { groupBy } from '../../maths/elements';
import type { LaunchedPlaces } from '../../model/cost';
import type { HostRole } from '../../model/host-role';
import type { ProbedPath } from '../../model/probed-path';
import type { MeasurementResult } from '../../model/result';
import { conditionsOf, rttOf } from '../../model/statistics';
import { cellsOf, labelledCells, type Cell, type LabelledRow } from '../../repetitions/cells';
import type { ReportInput } from '../../run/report-input';
import { pairOfTypes, zoneWords } from '../../run/words';
import { grouped, micros } from '../../text/format';
import { withNotes } from '../page/columns';
import { html, type Html, type HtmlValue } from '../page/html';
import { column, numberColumn, roomyColumn, tableSection, type Section } from '../page/table';

export function routesSection(results: readonly MeasurementResult[]): Section | undefined {
  const { rows, shared } = labelledCells(cellsOf(results.filter(isOfRoute)));
  const rtt = (heading: string, key: 'min' | 'mean' | 'max' | 'stdDev') =>
    valuesColumn(heading, (result) => micros(rttOf(result)?.[key]));
  return tableSection<LabelledRow<Cell>>({
    id: 'routes',
    title: 'Routes',
    lead: 'What the tools found about the route from client to server. Round trips are in microseconds.',
    shared,
    columns: [
      column('Measured', ({ item, label }) =>
        withNotes(html`<b>${label}</b>`, item.results.map((result) => result.measurementId).join(', ')),
      ),
      rtt('Shortest', 'min'),
      rtt('Mean', 'mean'),
      rtt('Longest', 'max'),
      rtt('Standard deviation', 'stdDev'),
      valuesColumn('Hops', (result) => conditionsOf(result)?.hopCount?.toString()),
      valuesColumn('Path MTU, bytes', (result) => grouped(conditionsOf(result)?.pathMtuBytes)),
    ],
    rows,
  });
}

/** Whether a result belongs to this section: conditions, or round trips that are too few for percentiles. */
export function isOfRoute(result: MeasurementResult): boolean {
  const rtt = rttOf(result);
  return result.kind === 'conditions' || (rtt !== undefined && rtt.p50 === undefined);
}

/** A column with the values of the repetitions, equal ones only once. */
const valuesColumn = (heading: string, valueOf: (result: MeasurementResult) => string | undefined) =>
  numberColumn<LabelledRow<Cell>>(heading, ({ item }) =>
    [...new Set(item.results.flatMap((result) => valueOf(result) ?? []))].join(', '),
  );

interface OwnRoute {
  readonly result: MeasurementResult;
  /** Absent if no host was launched. */
  readonly places?: LaunchedPlaces;
  /** Absent if the pair failed before the probe. */
  readonly probed?: ProbedPath;
}

type OwnRoutesInput = Pick<ReportInput, 'results' | 'pairCosts' | 'probedPaths'>;

export function ownRoutesSection({ results, pairCosts = [], probedPaths = [] }: OwnRoutesInput): Section | undefined {
  const ofOwnRoutes = results.filter(({ path }) => path === 'own');
  const pairs = groupBy(ofOwnRoutes, ({ pairId }) => pairId);
  return tableSection<OwnRoute>({
    id: 'own-routes',
    title: 'Routes of your own',
    lead: html`Between these subnets, the account's own routes carry the traffic. Before anything was measured, each
    route was probed by a TCP connection from the client to the server, and the hops of the route were listed.`,
    columns: [
      column('Pair', ({ result }) => withNotes(html`<b>${result.pairId}</b>`, pairOfTypes(result))),
      column('Client', (route) => end(route, 'client')),
      column('Server', (route) => end(route, 'server')),
      roomyColumn('TCP connection', ({ probed }) => probed && answer(probed)),
      numberColumn('Path MTU, bytes', ({ probed }) => grouped(probed?.pathMtuBytes)),
      numberColumn('Hops', ({ probed }) => probed?.hopCount),
      roomyColumn('Route', ({ probed }) => probed && hops(probed)),
    ],
    rows: [...pairs].map(([pairId, [result]]) => ({
      result,
      places: pairCosts.find((pair) => pair.pairId === pairId),
      probed: probedPaths.find((path) => path.pairId === pairId),
    })),
  });
}

function end({ places, result }: OwnRoute, role: HostRole): HtmlValue {
  const zone = places?.[`${role}Zone`];
  // If no host was launched, only the place in the plan is known.
  if (zone === undefined) return result[`${role}PinnedPlace`];
  const zoneId = places?.[`${role}ZoneId`];
  const [subnet, vpc, image] = [places?.[`${role}SubnetId`], places?.[`${role}VpcId`], places?.[`${role}ImageId`]];
  return withNotes(subnet, vpc, zoneWords({ zone, zoneId }), image);
}

function answer({ answer: given, attempts, seconds, problem, to }: ProbedPath): Html {
  const port = `port ${to.port}`;
  if (given === null) {
    const tried = `${port}, ${attempts} connections in ${seconds.toFixed(1)} s`;
    return withNotes(html`<b>nothing arrived</b>`, problem ? `${tried}: ${problem}` : tried);
  }
  const meaning = given === 'refused' ? ', which proves that the route works: no program was listening yet' : '';
  const time = seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
  return withNotes(`${given} after ${time}`, `${port}${meaning}`);
}

function hops({ route, routeProblem }: ProbedPath): HtmlValue {
  if (routeProblem !== null) return routeProblem;
  return html`<details>
    <summary>hops</summary>
    <pre>${route.join('\n')}</pre>
  </details>`;
}
