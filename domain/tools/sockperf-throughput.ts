/** sockperf's mode throughput prints one average, the sender's; the series is what the receiver's interface counted. */
import {
  clientFacts,
  NO_CLIENT_STREAM,
  nothingAssembled,
  type AssembledMeasurement,
} from '../assembly/assemble-measurement';
import { timeOfLine, toolText, type MeasurementStreams, type RawStream } from '../assembly/raw-streams';
import { countersOfHosts, throughputFromCounters, type LoadSpan } from '../assembly/throughput-from-counters';
import { throughputStatistics } from '../assembly/throughput-statistics';
import { parseSockperfThroughput } from '../parsers/sockperf/text';
import { roundMicros } from '../series/second-grid';

const DIRECTION = 'forward';

export function assembleSockperfThroughput({ client, server }: MeasurementStreams): AssembledMeasurement {
  if (client === undefined) return nothingAssembled(NO_CLIENT_STREAM);
  const output = parseSockperfThroughput(toolText(client));
  const span = loadSpan(client);
  const counted = span ? countedSeries(client, server, span, output.protocol === 'udp') : { samples: [], warnings: [] };
  const sinceStart = { direction: DIRECTION, originSeconds: client.header.startedAtSeconds, fromSeconds: 0 } as const;
  const counters = countersOfHosts({ client, server }, span ?? sinceStart);
  return {
    samples: [...counted.samples, ...counters],
    statistics: throughputStatistics([output], {
      directions: [DIRECTION],
      samples: counted.samples,
      sentDirections: [],
    }).statistics,
    ...clientFacts(output, client),
    warnings: [...output.warnings, ...counted.warnings],
  };
}

/**
 * From the client's first line about sending to its line about the end; undefined where the load never began. The
 * clocks of both hosts follow the same reference to the millisecond.
 */
function loadSpan(client: RawStream): LoadSpan | undefined {
  const began = timeOfLine(client, (line) => line.includes('Starting test...'));
  if (began === undefined) return undefined;
  // A client that was killed had been sending until the last line that its host streamed.
  const ended = timeOfLine(client, (line) => line.includes('Test end (')) ?? client.lines.at(-1)?.time ?? began;
  return { direction: DIRECTION, originSeconds: began, fromSeconds: 0, toSeconds: roundMicros(ended - began) };
}

function countedSeries(client: RawStream, server: RawStream | undefined, span: LoadSpan, isUdp: boolean) {
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
