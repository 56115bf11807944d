/** A measurement out of sockperf's mode throughput. It prints one average of the sender; the series is the receiver's interface's. */
import { throughputFromCounters } from '../assembly/assemble-from-counters';
import {
  NO_CLIENT_STREAM,
  reasonOf,
  toolText,
  type AssembledMeasurement,
  type MeasurementStreams,
  type RawStream,
} from '../assembly/assemble-measurement';
import { counterSamples } from '../assembly/counter-samples';
import type { Sample } from '../model/sample';
import { roundMicros } from '../series/second-grid';
import { parseSockperfThroughput } from '../parsers/sockperf/sockperf-text';
import { throughputStatistics } from '../assembly/throughput-statistics';

const DIRECTION = 'forward';

export function assembleSockperfThroughput({ client, server }: MeasurementStreams): AssembledMeasurement {
  if (client === undefined) {
    return { samples: [], statistics: {}, complete: false, reason: NO_CLIENT_STREAM, warnings: [] };
  }
  const output = parseSockperfThroughput(toolText(client));
  const load = loadOf(client);
  const warnings: string[] = [];
  const throughput = load === undefined ? [] : throughputSamples(client, server, load, output.protocol, warnings);
  const counters = [client, ...(server === undefined ? [] : [server])].flatMap(({ header, lines }) =>
    counterSamples(lines, {
      hostRole: header.hostRole,
      direction: DIRECTION,
      originSeconds: load?.originSeconds ?? client.header.startedAtSeconds,
      fromSeconds: 0,
      ...(load !== undefined && { toSeconds: load.toSeconds }),
    }),
  );
  return {
    samples: [...throughput, ...counters],
    statistics: throughputStatistics([output], { directions: [DIRECTION], samples: throughput }),
    complete: output.complete,
    ...(!output.complete && { reason: reasonOf(output, client) }),
    ...(output.toolVersion !== undefined && { toolVersion: output.toolVersion }),
    client: output,
    warnings: [...output.warnings, ...warnings],
  };
}

interface Load {
  readonly originSeconds: number;
  readonly toSeconds: number;
}

/**
 * From the client's first words of its sending to those of its end, by the time they were read. Both hosts' clocks follow
 * the same reference to the millisecond.
 *
 * @returns undefined where it never began
 */
function loadOf({ lines }: RawStream): Load | undefined {
  const timeOf = (words: string) => lines.find((line) => 'line' in line && line.line.includes(words))?.time;
  const began = timeOf('Starting test...');
  if (began === undefined) return undefined;
  // One that was killed has sent to the last that was heard of its host.
  const ended = timeOf('Test end (') ?? lines.at(-1)!.time;
  return { originSeconds: began, toSeconds: roundMicros(ended - began) };
}

function throughputSamples(
  client: RawStream,
  server: RawStream | undefined,
  load: Load,
  protocol: 'tcp' | 'udp' | undefined,
  warnings: string[],
): Sample[] {
  const sent = { direction: DIRECTION, counted: 'sent', ...load } as const;
  const received =
    server === undefined ? [] : throughputFromCounters(server, { direction: DIRECTION, counted: 'received', ...load });
  if (received.length > 0) {
    warnings.push("throughput is what the receiver's interface counted, packet headers included");
    return [...received, ...throughputFromCounters(client, { ...sent, metric: 'sent_throughput' })];
  }
  const isOfferedLoad = protocol === 'udp';
  warnings.push(
    isOfferedLoad
      ? "nothing was counted by the receiver: only what the sender's interface offered is here, not what arrived"
      : "nothing was counted by the receiver: throughput is what the sender's interface counted",
  );
  return throughputFromCounters(client, { ...sent, metric: isOfferedLoad ? 'sent_throughput' : 'throughput' });
}
