/** Measures how long analyse-measurement takes for half an hour of iperf3 with eight streams. */
import { makeAnalyseMeasurement } from '../lambdas/analyse-measurement/analyse-measurement';
import { pairHostsKey, planKey } from '../domain/workflow/object-keys';
import { FakeStore } from '../test/support/fake-store';
import { plannedRun, RUN_ID } from '../test/support/planned-run';
import { burstThenThrottle, iperf3Command, iperf3Lines, putRawStream } from '../test/support/raw-streams';

const SECONDS = 1800;
const STREAMS = 8;
const MEASUREMENT_ID = 'p0001-m01';

async function main(): Promise<void> {
  const store = new FakeStore();
  store.putJson(planKey(RUN_ID), plannedRun({ measurements: [{ tool: 'iperf3', durationSeconds: SECONDS }] }));
  store.putJson(pairHostsKey(RUN_ID, 'p0001'), {
    client: { instanceId: 'i-client' },
    server: { instanceId: 'i-server' },
  });
  for (const hostRole of ['client', 'server'] as const) {
    putRawStream(store, {
      identity: { userId: `ROLE:i-${hostRole}`, runId: RUN_ID, measurementId: MEASUREMENT_ID, hostRole },
      tool: 'iperf3',
      command: iperf3Command(hostRole, SECONDS, STREAMS),
      lines: iperf3Lines(hostRole, burstThenThrottle(SECONDS, 1060), STREAMS),
    });
  }
  const analyse = makeAnalyseMeasurement({ hostRoleId: 'ROLE', store: store.adapter, log: () => undefined });
  for (const attempt of ['cold', 'warm']) {
    const started = process.hrtime.bigint();
    const { status, verdict } = await analyse({
      runId: RUN_ID,
      pairIndex: 0,
      measurementIndex: 0,
      acceptTruncated: false,
      failureReason: null,
    });
    const milliseconds = Math.round(Number(process.hrtime.bigint() - started) / 1e6);
    console.log(JSON.stringify({ attempt, seconds: SECONDS, streams: STREAMS, status, verdict, milliseconds }));
  }
}

void main();
