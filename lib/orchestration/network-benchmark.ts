import { Duration } from 'aws-cdk-lib';
import {
  type IStateMachine,
  Choice,
  Fail,
  IntegrationPattern,
  Map,
  Pass,
  ProvideItems,
  Succeed,
  TaskInput,
  Timeout,
} from 'aws-cdk-lib/aws-stepfunctions';
import { StepFunctionsStartExecution } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import type { LaunchedPair } from '../../domain/workflow/contracts';
import { ErrorName } from '../../domain/workflow/error-names';
import { benchmarkStateMachine, type Callees, networkBenchmarkGrants } from './benchmark-state-machine';
import { CAUGHT_ERROR, fromEach, jsonata, pairIdExpression } from './expressions';
import { type PairBenchmark, PAIR_TIMEOUT } from './pair-benchmark';
import { START_EXECUTION_RETRY } from './retries';
import { invocation, when } from './tasks';

export interface NetworkBenchmarkProps extends Callees {
  readonly pairBenchmark: PairBenchmark;
}

const RUN_TIMEOUT = Duration.days(60);
/** Step Functions accepts 32,768 characters as the cause of a failed execution. */
const CAUSE_CHARACTERS = 32_000;

/** The fields that a pair's execution gets about its pair; the console shows them as the input of the iteration. */
const PAIR_FIELDS = [
  'pairIndex',
  'label',
  'onlineDeadlineSeconds',
  'tearDownDeadlineSeconds',
] as const satisfies readonly (keyof LaunchedPair)[];

/** The problems of a refused plan, or the reason that plan-run could not prepare a valid plan. */
const REFUSAL = `($states.errorOutput.Error = "${ErrorName.InvalidPlan}" ? "" : "the plan could not be prepared: ") & ${CAUGHT_ERROR}`;

/**
 * The run: plan run → measure pairs (one execution of pair-benchmark each) → summarise run → complete? Its input is the
 * plan. Its output, or the cause of its failure, is short: outcome, rows of the verdicts, location of the report.
 */
export class NetworkBenchmark extends Construct {
  readonly stateMachine: IStateMachine;

  constructor(scope: Construct, id: string, props: NetworkBenchmarkProps) {
    super(scope, id);
    const planRun = invocation(this, 'Plan run', {
      comment: 'Rejects a plan that cannot be measured before anything is launched',
      handler: props.functions.planRun.version,
      payload: {
        runId: jsonata('$states.context.Execution.Name'),
        startedAt: jsonata('$states.context.Execution.StartTime'),
        plan: jsonata('$states.input'),
      },
      assign: {
        runId: jsonata('$states.context.Execution.Name'),
        concurrency: jsonata('$states.result.Payload.concurrency'),
        pairs: jsonata('$states.result.Payload.pairs'),
      },
    });
    const refused = Fail.jsonata(this, 'Run refused', {
      error: jsonata('$error'),
      cause: jsonata(`$substring($refusal, 0, ${CAUSE_CHARACTERS})`),
    });
    const summariseRefusal = invocation(this, 'Summarise refusal', {
      comment: 'A run that launches nothing has a summary and a report too, which say why',
      handler: props.functions.summariseRun.version,
      payload: {
        runId: jsonata('$states.context.Execution.Name'),
        pairs: [],
        interruptedReason: jsonata('$refusal'),
        planName: jsonata('$planName'),
        startedAt: jsonata('$states.context.Execution.StartTime'),
      },
    });
    // If even the summary can't be written, the refusal stays the cause, and reap-run tries again.
    summariseRefusal.addCatch(refused, { errors: ['States.ALL'] });
    const error = jsonata('$states.errorOutput.Error');
    // An earlier run in the store has this name, so no summary is written, because it would replace that run's summary.
    planRun.addCatch(refused, { errors: [ErrorName.RunIdTaken], assign: { error, refusal: jsonata(CAUGHT_ERROR) } });
    planRun.addCatch(summariseRefusal.next(refused), {
      errors: ['States.ALL'],
      assign: {
        error,
        refusal: jsonata(REFUSAL),
        planName: jsonata('$type($states.input.name) = "string" ? $states.input.name : null'),
      },
    });

    const measurePairs = Map.jsonata(this, 'Measure pairs', {
      comment: 'Each pair has its own execution, history and teardown; a failed pair does not stop the others',
      items: ProvideItems.jsonata(jsonata('$pairs')),
      jsonataMaxConcurrency: jsonata('$concurrency'),
      itemSelector: {
        runId: jsonata('$runId'),
        ...fromEach(PAIR_FIELDS, (field) => `$states.context.Map.Item.Value.${field}`),
      },
    });
    measurePairs.itemProcessor(this.measurePair(props.pairBenchmark));

    const summariseRun = invocation(this, 'Summarise run', {
      handler: props.functions.summariseRun.version,
      payload: {
        runId: jsonata('$runId'),
        pairs: jsonata('$states.input'),
        interruptedReason: null,
        startedAt: jsonata('$states.context.Execution.StartTime'),
      },
    });
    summariseRun.addCatch(
      Fail.jsonata(this, 'Run not summarised', {
        error: ErrorName.RunFailed,
        cause: jsonata('$substring($refusal, 0, 1000)'),
      }),
      { errors: ['States.ALL'], assign: { refusal: jsonata(`"the run could not be summarised: " & ${CAUGHT_ERROR}`) } },
    );
    summariseRun.next(this.outcome());
    measurePairs.next(summariseRun);

    this.stateMachine = benchmarkStateMachine(this, {
      name: props.machines.run,
      comment: 'One run of a benchmark plan',
      start: planRun.next(this.dryRunChoice(measurePairs)),
      timeout: RUN_TIMEOUT,
      roleDescription: 'Runs a benchmark plan: plans the run, starts its pairs and summarises the results',
      grants: networkBenchmarkGrants(this, props),
    });
  }

  /** Each pair returns at most 100 bytes, because the results of 1,000 pairs must fit into the 256 KiB of a state. */
  private measurePair(pairBenchmark: PairBenchmark): StepFunctionsStartExecution {
    const measurePair = StepFunctionsStartExecution.jsonata(this, 'Measure pair', {
      stateMachine: pairBenchmark.version,
      integrationPattern: IntegrationPattern.RUN_JOB,
      // Makes the console link the run with its pairs.
      associateWithParent: true,
      name: jsonata(`$states.input.runId & "-" & ${pairIdExpression('$states.input.pairIndex')}`),
      input: TaskInput.fromObject({
        runId: jsonata('$states.input.runId'),
        ...fromEach(PAIR_FIELDS, (field) => `$states.input.${field}`),
      }),
      taskTimeout: Timeout.duration(PAIR_TIMEOUT.plus(Duration.hours(1))),
      // A single expression can omit the time, whereas an undefined field would fail the state. The time is missing if
      // the pair runs by an earlier definition right after a deployment.
      outputs: jsonata(
        '{"pairIndex": $states.input.pairIndex, "status": "complete", ' +
          '"tearDownStartedAtMillis": $states.result.Output.tearDownStartedAtMillis}',
      ),
    });
    measurePair.addRetry(START_EXECUTION_RETRY);
    measurePair.addCatch(Pass.jsonata(this, 'Pair failed'), {
      errors: ['States.ALL'],
      outputs: { pairIndex: jsonata('$states.input.pairIndex'), status: 'failed' },
    });
    return measurePair;
  }

  /** A dry run ends before any launch; its output is the whole plan with its price. */
  private dryRunChoice(measurePairs: Map): Choice {
    return Choice.jsonata(this, 'Dry run?')
      .when(
        when('$states.input.dryRun'),
        Succeed.jsonata(this, 'Run planned', {
          outputs: jsonata(
            '$merge([$sift($states.input, function($value, $key) { $not($key in ["dryRun", "pairs"]) }), ' +
              '{"outcome": "dry_run"}])',
          ),
        }),
      )
      .otherwise(measurePairs);
  }

  /** The execution fails unless all that is measurable was measured and any required expectations are met. */
  private outcome(): Choice {
    const fail = (id: string, error: string) =>
      Fail.jsonata(this, id, { error, cause: jsonata(`$substring($string($states.input), 0, ${CAUSE_CHARACTERS})`) });
    return Choice.jsonata(this, 'Complete?')
      .when(
        when('$states.input.outcome = "complete" and $states.input.expectations.failsRun = true'),
        fail('Expectations not met', ErrorName.ExpectationsNotMet),
      )
      .when(when('$states.input.outcome = "complete"'), Succeed.jsonata(this, 'Run complete'))
      .when(when('$states.input.outcome = "incomplete"'), fail('Run incomplete', ErrorName.RunIncomplete))
      .otherwise(fail('Run failed', ErrorName.RunFailed));
  }
}
