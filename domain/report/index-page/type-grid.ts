/** A grid of clients and servers, for runs that measured types with each other. */
import type { TypeAtlasRow } from '../../history/type-atlas';
import { groupBy } from '../../maths/elements';
import { html, type Html, type HtmlValue } from '../page/html';
import { card, column, numberColumn, reportTable } from '../page/table';

/**
 * @param cellOf what stands where a client and a server meet
 * @returns undefined where each type was only measured with itself, or one type with the others
 */
export function typeGrid(rows: readonly TypeAtlasRow[], cellOf: (row: TypeAtlasRow) => HtmlValue): Html | undefined {
  // Rates under several conditions can't be in one grid; the conditions of the most pairs of types are shown.
  const [most] = [...groupBy(rows, ({ conditions }) => conditions).values()].sort(
    (left, right) => right.length - left.length,
  );
  if (most === undefined) return undefined;
  const clients = [...new Set(most.map(({ clientType }) => clientType))];
  const servers = [...new Set(most.map(({ serverType }) => serverType))];
  const isMixed = most.some(({ clientType, serverType }) => clientType !== serverType);
  if (!isMixed || clients.length < 2 || servers.length < 2) return undefined;
  const columns = [
    column<string>('Client', (client) => html`<b>${client}</b>`),
    ...servers.map((server) =>
      numberColumn<string>(`to ${server}`, (client) => {
        const row = most.find(({ clientType, serverType }) => clientType === client && serverType === server);
        return row && cellOf(row);
      }),
    ),
  ];
  return card('Client and server, sustained Gbit/s', reportTable('Client and server', columns, clients));
}
