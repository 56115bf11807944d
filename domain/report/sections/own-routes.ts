/** The routes that are the account's own: between which subnets, and how they were before anything was measured. */
import { groupBy } from '../../maths/elements';
import type { LaunchedPlaces } from '../../model/cost';
import type { HostRole } from '../../model/host-role';
import type { ProbedPath } from '../../model/probed-path';
import type { MeasurementResult } from '../../model/result';
import { grouped } from '../../text/format';
import { html, type Html, type HtmlValue } from '../page/html';
import type { ReportInput } from '../../run/report-input';
import type { Section } from '../page/contents';
import { reportTable } from '../page/columns';
import { pairOfTypes, zoneWords } from '../../run/words';

interface OwnRoute {
  readonly result: MeasurementResult;
  /** Absent where no host was launched. */
  readonly places?: LaunchedPlaces;
  /** Absent where the pair failed before. */
  readonly probed?: ProbedPath;
}

type OwnRoutesInput = Pick<ReportInput, 'results' | 'pairCosts' | 'probedPaths'>;

export function ownRoutesSection({ results, pairCosts = [], probedPaths = [] }: OwnRoutesInput): Section | undefined {
  const pairs = groupBy(
    results.filter(({ path }) => path === 'own'),
    ({ pairId }) => pairId,
  );
  const routes = [...pairs].map(([pairId, [result]]): OwnRoute => ({
    result,
    places: pairCosts.find((pair) => pair.pairId === pairId),
    probed: probedPaths.find((path) => path.pairId === pairId),
  }));
  if (routes.length === 0) return undefined;
  return {
    id: 'own-routes',
    title: 'Routes of your own',
    html: html`
      <p class="lead">
        Between these subnets the account's own routes carry the traffic. Before anything was measured, each route was
        probed by a TCP connection from the client to the server, and its hops were listed.
      </p>
      <div class="card">
        ${reportTable(
          'Routes of your own',
          [
            {
              heading: 'Pair',
              cell: ({ result }) => html`<b>${result.pairId}</b><small>${pairOfTypes(result)}</small>`,
            },
            { heading: 'Client', cell: (route) => end(route, 'client') },
            { heading: 'Server', cell: (route) => end(route, 'server') },
            { heading: 'TCP connection', isRoomy: true, cell: ({ probed }) => probed && answer(probed) },
            { heading: 'Path MTU, bytes', isNumber: true, cell: ({ probed }) => grouped(probed?.pathMtuBytes) },
            { heading: 'Hops', isNumber: true, cell: ({ probed }) => probed?.hopCount },
            { heading: 'Route', isRoomy: true, cell: ({ probed }) => probed && route(probed) },
          ],
          routes,
        )}
      </div>
    `,
  };
}

function end({ places, result }: OwnRoute, role: HostRole): HtmlValue {
  const zone = places?.[`${role}Zone`];
  // Without a host, there is only what the plan says.
  if (zone === undefined) return result[`${role}PinnedPlace`];
  return html`${places?.[`${role}SubnetId`]}<small>${places?.[`${role}VpcId`]}</small
    ><small>${zoneWords({ zone, zoneId: places?.[`${role}ZoneId`] })}</small
    ><small>${places?.[`${role}ImageId`]}</small>`;
}

function answer({ answer: given, attempts, seconds, problem, to }: ProbedPath): Html {
  const port = `port ${to.port}`;
  if (given === null) {
    return html`<b>nothing arrived</b
      ><small>${port}, ${attempts} connections in ${seconds.toFixed(1)} s${problem && `: ${problem}`}</small>`;
  }
  const meaning = given === 'refused' ? ', which proves the route: nothing listened yet' : '';
  const time = seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
  return html`${given} after ${time}<small>${port}${meaning}</small>`;
}

function route({ route: lines, routeProblem }: ProbedPath): HtmlValue {
  if (routeProblem !== null) return routeProblem;
  return html`<details>
    <summary>hops</summary>
    <pre>${lines.join('\n')}</pre>
  </details>`;
}
