/**
 * A measurement from sockperf's mode throughput. sockperf prints one average, the sender's; the series comes from the
 * counters of the receiver's interface.
 */
import { NO_CLIENT_STREAM, nothingAssembled, type AssembledMeasurement } from '../assembly/assemble-measurement';
import { reasonOf, timeOfLine, toolText, type MeasurementStreams, type RawStream } from '../assembly/raw-streams';
import { countersOfHosts, throughputFromCounters, type LoadSpan } from '../assembly/throughput-from-counters';
import { throughputStatistics } from '../assembly/throughput-statistics';
import type { Sample } from '../model/sample';
import { parseSockperfThroughput } from '../parsers/sockperf/text';
import { roundMicros } from '../series/second-grid';

const DIRECTION = 'forward';

export function assembleSockperfThroughput({ client, server }: MeasurementStreams): AssembledMeasurement {
  if (client === undefined) return nothingAssembled(NO_CLIENT_STREAM);
  const output = parseSockperfThroughput(toolText(client));
  const span = loadSpan(client);
  const counted =
    span === undefined ? { samples: [], warnings: [] } : countedSeries(client, server, span, output.protocol === 'udp');
  const counters = countersOfHosts(
    { client, server },
    span ?? { direction: DIRECTION, originSeconds: client.header.startedAtSeconds, fromSeconds: 0 },
  );
  return {
    samples: [...counted.samples, ...counters],
    statistics: throughputStatistics([output], { directions: [DIRECTION], samples: counted.samples }),
    complete: output.complete,
    reason: output.complete ? undefined : reasonOf(output, client),
    toolVersion: output.toolVersion,
    client: output,
    warnings: [...output.warnings, ...counted.warnings],
  };
}

/**
 * From the client's first line about sending to its line about the end, by the times at which they were read. The
 * clocks of both hosts follow the same reference to the millisecond.
 *
 * @returns undefined where the load never began
 */
function loadSpan(client: RawStream): LoadSpan | undefined {
  const began = timeOfLine(client, (line) => line.includes('Starting test...'));
  if (began === undefined) return undefined;
  // A client that was killed had been sending until the last line that its host streamed.
  const ended = timeOfLine(client, (line) => line.includes('Test end (')) ?? client.lines.at(-1)?.time ?? began;
  return { direction: DIRECTION, originSeconds: began, fromSeconds: 0, toSeconds: roundMicros(ended - began) };
}

interface CountedSeries {
  readonly samples: readonly Sample[];
  readonly warnings: readonly string[];
}

function countedSeries(
  client: RawStream,
  server: RawStream | undefined,
  span: LoadSpan,
  isUdp: boolean,
): CountedSeries {
  const received = server === undefined ? [] : throughputFromCounters(server, span, 'received');
  if (received.length > 0) {
    return {
      samples: [...received, ...throughputFromCounters(client, span, 'sent', 'sent_throughput')],
      warnings: ["throughput is what the receiver's interface counted, packet headers included"],
    };
  }
  return {
    samples: throughputFromCounters(client, span, 'sent', isUdp ? 'sent_throughput' : 'throughput'),
    warnings: [
      isUdp
        ? "nothing was counted by the receiver: only what the sender's interface offered is here, not what arrived"
        : "nothing was counted by the receiver: throughput is what the sender's interface counted",
    ],
  };
}
