/** What each pair cost beside what was forecast, by what is charged. */
import { sumOrUnknown, totalUsd, type PairCost, type PriceSplit } from '../../model/cost';
import { duration } from '../../text/format';
import { html } from '../page/html';
import type { ReportInput } from '../../run/report-input';
import type { Section } from '../page/contents';
import { reportTable } from '../page/columns';

export function costSection({ pairCosts = [] }: Pick<ReportInput, 'pairCosts'>): Section | undefined {
  const launched = pairCosts.filter(({ launchedAt, warnings }) => launchedAt !== undefined || warnings.length > 0);
  if (launched.length === 0) return undefined;
  const part =
    (...names: readonly (keyof PriceSplit)[]) =>
    (pair: PairCost) =>
      usd(sumOrUnknown(names.map((name) => pair.cost[name])));
  const warnings = launched.flatMap(({ pairId, warnings: ofPair }) =>
    ofPair.map((text) => html`<b>${pairId}</b>: ${text}`),
  );
  return {
    id: 'cost',
    title: 'What it cost',
    html: html`
      <p class="lead">
        By the plan's prices, which are list prices unless it has its own, before tax and discounts. Hosts are counted
        from their launch until they were terminated, traffic by the counters of their interfaces.
      </p>
      <div class="card">
        ${reportTable(
          `What each of ${launched.length} pairs cost`,
          [
            { heading: 'Pair', cell: ({ pairId }) => pairId },
            { heading: 'Hosts ran together', cell: ({ hostSeconds }) => hostSeconds !== null && duration(hostSeconds) },
            { heading: 'Estimated, USD', isNumber: true, cell: ({ expected }) => expected && usd(totalUsd(expected)) },
            { heading: 'As it came, USD', isNumber: true, cell: ({ cost }) => usd(totalUsd(cost)) },
            { heading: 'Hosts, USD', isNumber: true, cell: part('instances', 'publicAddresses', 'cpuCredits') },
            { heading: 'Traffic, USD', isNumber: true, cell: part('crossZoneTraffic', 'publicTraffic') },
            { heading: 'Load balancer, USD', isNumber: true, cell: part('loadBalancer') },
            { heading: 'Service, USD', isNumber: true, cell: part('s3', 'athena', 'stepFunctions', 'lambda') },
          ],
          launched,
        )}
      </div>
      ${
        warnings.length > 0 &&
        html`<ul class="sub">
          ${warnings.map((warning) => html`<li>${warning}</li>`)}
        </ul>`
      }
    `,
  };
}

const usd = (value: number | null) => (value === null ? 'unknown' : value.toFixed(4));
