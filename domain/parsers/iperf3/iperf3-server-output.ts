/** `--get-server-output`: the client's output carries the server's, and with it the receiver's own series. */
import { byStart } from '../tool-series';
import type { ThroughputOutput } from '../tool-output';

/** @returns the client's output with the server's intervals beside its own. */
export function receiverSeriesOf(client: ThroughputOutput, server: ThroughputOutput): ThroughputOutput {
  const added = server.intervals.filter(
    (interval) => !client.intervals.some((own) => own.direction === interval.direction && own.side === interval.side),
  );
  return { ...client, intervals: [...client.intervals, ...added].sort(byStart) };
}
