import { executionKey, reportKey, summaryKey } from '../../domain/workflow/object-keys';
import { awsError } from '../support/fake-ec2';
import { RUN_ID } from '../support/planned-run';
import { PAIR_MACHINE, RUN_MACHINE, reaping, stoppedRun, tagsOf } from '../support/reaping';

describe('a run that was stopped', () => {
  test('leaves no child execution, command, host or placement group, and changes nothing of other runs', async () => {
    const { reap, ec2, executions, cancelled, commands, eventOf } = await stoppedRun();
    commands.set('i-client-p0001', ['command-1']);

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(executions.stopped.sort()).toEqual(['run-1-p0001', 'run-1-p0002']);
    expect(cancelled).toEqual(['command-1 i-client-p0001']);
    expect(ec2.running()).toEqual(['i-other-run', 'i-other-stack']);
    expect([...ec2.placementGroups.keys()]).toEqual([]);
  });

  test('loses all but what AWS refuses to remove, is summarised, and the error names what stayed', async () => {
    const made = await stoppedRun({
      terminateHosts: async (ids) => {
        if (ids.includes('i-client-p0001')) throw awsError('OperationNotPermitted');
        await made.ec2.terminateHosts(ids);
      },
    });

    const reaped = made.reap(made.eventOf(RUN_MACHINE, RUN_ID));

    await expect(reaped).rejects.toThrow('host i-client-p0001: OperationNotPermitted');
    expect(made.ec2.running()).toEqual(['i-client-p0001', 'i-other-run', 'i-other-stack']);
    expect(made.invocations.map(({ functionName }) => functionName)).toContain('summarise');
  });

  test('has its measurements analysed as truncated, and is summarised with the reason', async () => {
    const { reap, invocations, eventOf, putResult } = await stoppedRun();
    putResult('p0001-m01', { status: 'complete' });

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(
      invocations.map(({ functionName, payload }) => [functionName, payload.pairIndex, payload.measurementIndex]),
    ).toEqual(
      expect.arrayContaining([
        ['analyse', 0, 1],
        ['analyse', 1, 0],
        ['analyse', 1, 1],
      ]),
    );
    expect(invocations[0]!.payload).toMatchObject({
      runId: RUN_ID,
      acceptTruncated: true,
      failureReason: "the pair's execution was stopped: the run was stopped",
    });
    expect(invocations.slice(3)).toEqual([
      {
        functionName: 'summarise',
        payload: { runId: RUN_ID, pairs: [], interruptedReason: 'the run was stopped: changed my mind' },
      },
    ]);
  });

  test('can be reaped three times with the same result, whatever form the event has', async () => {
    const { reap, ec2, invocations, eventOf } = await stoppedRun();
    const event = eventOf(RUN_MACHINE, RUN_ID);
    await reap(event);
    const first = invocations.length;

    await reap({ laterLookAt: event });
    await reap({ laterLookAt: event });

    expect(ec2.running()).toEqual(['i-other-run', 'i-other-stack']);
    // What ended early is looked at again, because a dying host may still have sent a chunk; nothing new, no new
    // summary.
    expect(invocations.slice(first).map(({ functionName }) => functionName)).toEqual(Array(8).fill('analyse'));
  });

  test('is summarised again with what a host that nobody could end has uploaded since', async () => {
    const { reap, invocations, uploaded, eventOf } = await stoppedRun();
    const event = eventOf(RUN_MACHINE, RUN_ID);
    await reap(event);
    const first = invocations.length;
    uploaded.sampleCount = 24;

    await reap({ laterLookAt: event });
    await reap({ laterLookAt: event });

    const looks = [...Array<string>(4).fill('analyse'), 'summarise', ...Array<string>(4).fill('analyse')];
    expect(invocations.slice(first).map(({ functionName }) => functionName)).toEqual(looks);
  });

  test('is summarised again when its pair had begun an analysis that wrote after the summary', async () => {
    const { reap, invocations, uploaded, eventOf, putResult } = await stoppedRun();
    const event = eventOf(RUN_MACHINE, RUN_ID);
    await reap(event);
    const first = invocations.length;
    for (const number of [1, 2]) putResult(`p0001-m0${number}`, { status: 'complete', ...uploaded });

    await reap({ laterLookAt: event });
    await reap({ laterLookAt: event });

    const looks = ['analyse', 'analyse', 'summarise', 'analyse', 'analyse'];
    expect(invocations.slice(first).map(({ functionName }) => functionName)).toEqual(looks);
  });

  test('is summarised again when its plan came after a summary without pairs', async () => {
    const { reap, store, executions, invocations, eventOf, putSummary } = reaping();
    executions.add(RUN_MACHINE, RUN_ID, 'ABORTED');
    putSummary('stopped');
    store.putJson(summaryKey(RUN_ID), { ...store.json<object>(summaryKey(RUN_ID)), pairs: [] });

    await reap({ laterLookAt: eventOf(RUN_MACHINE, RUN_ID) });
    await reap({ laterLookAt: eventOf(RUN_MACHINE, RUN_ID) });

    expect(invocations.map(({ functionName }) => functionName)).toEqual(['summarise']);
  });

  test('a host that appears after the first look is gone after the next', async () => {
    const { reap, ec2, eventOf } = await stoppedRun();
    await reap(eventOf(RUN_MACHINE, RUN_ID));
    ec2.addHost('i-late', tagsOf(RUN_ID, 'p0002'));

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(ec2.running()).toEqual(['i-other-run', 'i-other-stack']);
  });

  test('a placement group that is still in use is removed at the next look', async () => {
    const { reap, ec2, eventOf } = await stoppedRun();
    ec2.isGroupEmpty = () => false;
    await reap(eventOf(RUN_MACHINE, RUN_ID));
    expect(ec2.placementGroups.size).toBe(2);
    ec2.isGroupEmpty = () => true;

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(ec2.placementGroups.size).toBe(0);
  });
});

describe('a pair that was stopped', () => {
  test('loses only its own hosts, and leaves the summary to its run', async () => {
    const { reap, ec2, executions, invocations, eventOf, launchPair } = reaping();
    executions.add(RUN_MACHINE, RUN_ID, 'RUNNING');
    executions.add(PAIR_MACHINE, 'run-1-p0001', 'ABORTED');
    executions.add(PAIR_MACHINE, 'run-1-p0002', 'RUNNING');
    await launchPair('p0001');
    await launchPair('p0002');

    await reap(eventOf(PAIR_MACHINE, 'run-1-p0001'));

    expect(ec2.running()).toEqual(['i-client-p0002', 'i-server-p0002']);
    expect([...ec2.placementGroups.keys()]).toEqual(['group-p0002']);
    expect(executions.stopped).toEqual([]);
    expect(invocations.map(({ functionName, payload }) => [functionName, payload.pairIndex])).toEqual([
      ['analyse', 0],
      ['analyse', 0],
    ]);
  });
});

describe('a pair that Step Functions stopped together with its run', () => {
  const stopped = async () => {
    const all = await stoppedRun();
    for (const name of ['run-1-p0001', 'run-1-p0002']) all.executions.add(PAIR_MACHINE, name, 'ABORTED');
    return all;
  };

  test('loses its hosts, and leaves results and summary to the event of the run', async () => {
    const { reap, ec2, invocations, eventOf } = await stopped();

    await reap(eventOf(PAIR_MACHINE, 'run-1-p0001'));

    expect(ec2.running()).toEqual(['i-client-p0002', 'i-server-p0002', 'i-other-run', 'i-other-stack']);
    expect(invocations).toEqual([]);
  });

  test('has a summary of all pairs, in whatever order the events come', async () => {
    const { reap, invocations, eventOf } = await stopped();

    await reap(eventOf(PAIR_MACHINE, 'run-1-p0002'));
    await reap(eventOf(RUN_MACHINE, RUN_ID));
    await reap(eventOf(PAIR_MACHINE, 'run-1-p0001'));

    // Pairs are analysed side by side.
    expect(invocations.map(({ functionName, payload }) => [functionName, payload.pairIndex].join(' ')).sort()).toEqual([
      ...[0, 0, 1, 1].map((pairIndex) => `analyse ${pairIndex}`),
      'summarise ',
    ]);
    expect(invocations.at(-1)!.functionName).toBe('summarise');
  });

  test('is summarised by a later look if the event of the run never came', async () => {
    const { reap, invocations, eventOf } = await stopped();
    const later = { laterLookAt: eventOf(PAIR_MACHINE, 'run-1-p0001') };

    await reap(later);
    await reap(later);

    expect(invocations.map(({ functionName }) => functionName)).toEqual(['analyse', 'analyse', 'summarise']);
  });
});

describe('a pair that failed by itself', () => {
  test('has analysed its measurements already, and nothing is analysed again', async () => {
    const { reap, executions, invocations, eventOf, launchPair, putResult } = reaping();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED');
    executions.add(PAIR_MACHINE, 'run-1-p0001', 'FAILED');
    await launchPair('p0001');
    putResult('p0001-m01', { status: 'complete' });
    putResult('p0001-m02', { status: 'truncated', reason: 'host killed' });

    await reap(eventOf(PAIR_MACHINE, 'run-1-p0001'));

    expect(invocations.map(({ functionName }) => functionName)).toEqual(['summarise']);
  });

  test('needs nothing more once its run has summarised itself', async () => {
    const { reap, executions, invocations, eventOf, launchPair, putResult, putSummary } = reaping();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED');
    executions.add(PAIR_MACHINE, 'run-1-p0001', 'FAILED');
    await launchPair('p0001');
    putResult('p0001-m01', { status: 'truncated', reason: 'host killed' });
    putResult('p0001-m02', { status: 'failed', reason: 'host killed' });
    putSummary(null);

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(invocations).toEqual([]);
  });

  test('a pair that timed out is salvaged although its run counts it as failed', async () => {
    const { reap, executions, invocations, eventOf, launchPair, putResult, putSummary } = reaping();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED');
    executions.add(PAIR_MACHINE, 'run-1-p0001', 'TIMED_OUT');
    await launchPair('p0001');
    putResult('p0001-m01', { status: 'complete' });
    putResult('p0001-m02', { status: 'failed', reason: 'no result was written' });
    putSummary(null);

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(invocations).toEqual([
      expect.objectContaining({ functionName: 'analyse' }),
      { functionName: 'summarise', payload: { runId: RUN_ID, pairs: [], interruptedReason: null } },
    ]);
  });
});

describe('an event that needs no reaping', () => {
  test('a run that was redriven keeps its hosts', async () => {
    const { reap, ec2, executions, eventOf, launchPair } = reaping();
    executions.add(RUN_MACHINE, RUN_ID, 'RUNNING');
    await launchPair('p0001');

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(ec2.running()).toHaveLength(2);
  });

  test('a refused run has nothing to reap', async () => {
    const { reap, executions, store, invocations, eventOf, putSummary } = reaping();
    store.objects.clear();
    putSummary('the plan is refused');
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED');

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(invocations).toEqual([]);
  });

  test('a run whose report is missing is summarised again, with the reason that its summary has', async () => {
    const { reap, executions, store, invocations, eventOf, putSummary } = reaping();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED', { error: 'Sandbox.Timedout' });
    putSummary('the run was stopped: changed my mind');
    store.objects.delete(reportKey(RUN_ID));

    await reap(eventOf(RUN_MACHINE, RUN_ID));
    await reap(eventOf(RUN_MACHINE, RUN_ID));

    const interruptedReason = 'the run was stopped: changed my mind';
    expect(invocations).toEqual([
      { functionName: 'summarise', payload: { runId: RUN_ID, pairs: [], interruptedReason } },
    ]);
  });

  test('a run without plan and summary is summarised with its end as the reason', async () => {
    const { reap, executions, store, invocations, eventOf } = reaping();
    store.objects.clear();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED', { error: 'Runtime.ExitError', cause: 'signal: killed' });

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    const interruptedReason = 'the run failed: Runtime.ExitError: signal: killed';
    expect(invocations).toEqual([
      { functionName: 'summarise', payload: { runId: RUN_ID, pairs: [], interruptedReason } },
    ]);
  });

  test('a run that somebody has removed from the store stays removed, and loses its hosts all the same', async () => {
    const { reap, ec2, executions, store, invocations, eventOf } = await stoppedRun();
    store.objects.clear();
    executions.succeededTasks.add(`${RUN_MACHINE}:${RUN_ID}`);

    await reap({ laterLookAt: eventOf(RUN_MACHINE, RUN_ID) });
    await reap({ laterLookAt: eventOf(PAIR_MACHINE, 'run-1-p0001') });

    expect(invocations).toEqual([]);
    expect(ec2.running()).toEqual(['i-other-run', 'i-other-stack']);
  });

  test('an execution that was refused for its name changes nothing of the earlier run that had it', async () => {
    const { reap, executions, store, invocations, eventOf, launchPair, putResult } = reaping();
    await launchPair('p0001');
    store.putJson(executionKey(RUN_ID), {
      schema: 'network-benchmark.execution.v1',
      runId: RUN_ID,
      startedAt: '2026-11-20T10:00:00.000Z',
    });
    putResult('p0001-m01', { status: 'truncated', reason: 'the run was stopped' });
    const before = store.keys().map((key) => [key, store.text(key)]);
    const startedAt = new Date('2027-02-20T10:00:00.000Z');
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED', { error: 'RunIdTakenError', startedAt });

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(invocations).toEqual([]);
    expect(store.keys().map((key) => [key, store.text(key)])).toEqual(before);
  });

  test('an execution of the pair machine that somebody started by hand', async () => {
    const { reap, ec2, executions, eventOf, launchPair } = reaping();
    executions.add(PAIR_MACHINE, 'by-hand', 'FAILED');
    await launchPair('p0001');

    await reap(eventOf(PAIR_MACHINE, 'by-hand'));

    expect(ec2.running()).toHaveLength(2);
  });

  test('fails for another state machine and for an event of another kind', async () => {
    const { reap, eventOf } = reaping();

    await expect(reap(eventOf('arn:other', 'x'))).rejects.toThrow('stateMachineArn: must be one of this stack');
    await expect(reap({ laterLookAt: {} as never })).rejects.toThrow('event: must have detail.stateMachineArn');
  });
});
