/** The lines from which CloudWatch makes metrics, as the embedded metric format has them. */
import { createMetrics } from '../../lambdas/shared/metrics';

test('each line has its own dimensions beside the stack, and nothing of the line before', () => {
  const written: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  try {
    createMetrics('Bench')([
      { dimensions: { Plan: 'canary' }, values: [{ name: 'RunCostUsd', unit: 'None', value: 0.25 }] },
      { dimensions: {}, values: [{ name: 'ScheduledRunsFailed', unit: 'Count', value: 0 }] },
    ]);
  } finally {
    write.mockRestore();
  }
  const lines = written.map((text) => JSON.parse(text) as Record<string, unknown>);
  const directive = (dimensions: string[], name: string, unit: string) =>
    expect.objectContaining({
      CloudWatchMetrics: [
        { Namespace: 'NetworkBenchmark', Dimensions: [dimensions], Metrics: [{ Name: name, Unit: unit }] },
      ],
    }) as unknown;
  expect(lines).toEqual([
    { _aws: directive(['service', 'Plan'], 'RunCostUsd', 'None'), service: 'Bench', Plan: 'canary', RunCostUsd: 0.25 },
    { _aws: directive(['service'], 'ScheduledRunsFailed', 'Count'), service: 'Bench', ScheduledRunsFailed: 0 },
  ]);
});
