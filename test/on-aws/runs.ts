/** Starts the runs that checks look at, each once, and waits for what a check wants to see of them. */
import { pairId } from '../../domain/workflow/identifiers';
import { liveSamplesPrefix } from '../../domain/workflow/object-keys';
import type { MeasurementResult } from '../../domain/model/result';
import type { PlannedRun } from '../../domain/model/planned-run';
import type { PairHosts } from '../../domain/workflow/contracts';
import type { RunSummaryJson } from '../../domain/run/summary';
import type { Execution } from '../../lambdas/adapters/sfn';
import { resultFinder, resultReader } from '../../lambdas/result-store/reader';
import type { Account, DeployedStack } from './account';
import { planOf, RUN_PLANS, type RunName } from './run-plans';

/** How often a run is looked at. */
const LOOK_SECONDS = 3;

export interface RunsProps {
  readonly account: Account;
  readonly stack: DeployedStack;
  /** Names of the runs begin with it. */
  readonly idPrefix: string;
  /** The service refuses a run that could cost more. */
  readonly maxCostUsd: number;
  readonly wait: (seconds: number) => Promise<void>;
  readonly now: () => Date;
  readonly say: (line: string) => void;
}

export class Runs {
  readonly #started = new Map<RunName, Promise<string>>();

  constructor(private readonly props: RunsProps) {}

  /** Ids of the runs that were started, also of those whose start was answered by an error. */
  readonly ids: string[] = [];

  /** @returns the id under which a check makes something itself, so that it is removed at the end as a run is */
  ownId(suffix: string): string {
    const id = `${this.props.idPrefix}-${suffix}`;
    this.ids.push(id);
    return id;
  }

  hasStarted(name: RunName): boolean {
    return this.#started.has(name);
  }

  /** @returns the id of the run, which is started by the first call */
  start(name: RunName): Promise<string> {
    const started = this.#started.get(name) ?? this.#start(name);
    this.#started.set(name, started);
    return started;
  }

  async #start(name: RunName): Promise<string> {
    const { account, stack, maxCostUsd, say } = this.props;
    const { after } = RUN_PLANS[name];
    const plan = planOf(name, after && (await this.#subnetOf(after)));
    // The id is noted before the call, because a start whose answer is lost may have happened.
    const runId = this.ownId(name);
    // A dry run costs nothing, and its plan may be one that would cost more.
    const hasLimit = maxCostUsd > 0 && !('dryRun' in plan) && !('maxCostUsd' in plan);
    const input = hasLimit ? { ...plan, maxCostUsd } : plan;
    await account.startExecution(stack.runStateMachineArn, runId, input);
    say(`started the run ${runId}`);
    return runId;
  }

  /** @returns a subnet of the stack in which a run was planned, once the run is over */
  async #subnetOf(name: RunName): Promise<string> {
    const { pairs } = await this.plan(name);
    return pairs[0]!.candidateSubnets[0]!.client.subnetId;
  }

  /**
   * @returns the hosts of the run's first pair, once its measurement runs and its first rows are in the store
   * @throws when the run ends before that
   */
  async measuring(name: RunName): Promise<PairHosts> {
    const runId = await this.start(name);
    const { account, stack } = this.props;
    const { listObjects } = account.listableBucket(stack.bucket);
    const startedOn = this.props.now();
    for (;;) {
      const { status, cause } = await this.execution(name);
      if (status !== 'RUNNING') throw new Error(`${runId}: must be measuring, was ${status}: ${cause ?? 'no cause'}`);
      const days = new Set([startedOn, this.props.now()].map((time) => time.toISOString().slice(0, 10)));
      for (const day of days) {
        if ((await listObjects(liveSamplesPrefix(day, runId))).length > 0) return this.#store().hosts(runId, pairId(0));
      }
      await this.props.wait(LOOK_SECONDS);
    }
  }

  /** Waits until the execution of the run's first pair runs, which then launches its hosts. */
  async launching(name: RunName): Promise<void> {
    const runId = await this.start(name);
    const { account, stack } = this.props;
    for (;;) {
      if ((await account.listRunningExecutions(stack.pairStateMachineArn)).includes(`${runId}-${pairId(0)}`)) return;
      const { status, cause } = await this.execution(name);
      if (status !== 'RUNNING') throw new Error(`${runId}: must launch, was ${status}: ${cause ?? 'no cause'}`);
      await this.props.wait(LOOK_SECONDS);
    }
  }

  /** Waits until the run is over. */
  async ended(name: RunName): Promise<Execution> {
    for (;;) {
      const execution = await this.execution(name);
      if (execution.status !== 'RUNNING') return execution;
      await this.props.wait(LOOK_SECONDS);
    }
  }

  async endedWithOutput(name: RunName): Promise<Execution & { readonly output: string | undefined }> {
    const execution = await this.ended(name);
    return { ...execution, output: await this.props.account.executionOutput(execution.arn) };
  }

  /** @returns the hosts of a pair of a run that has ended */
  async hosts(name: RunName, pairIndex = 0): Promise<PairHosts> {
    const { name: runId } = await this.ended(name);
    return this.#store().hosts(runId, pairId(pairIndex));
  }

  /** @returns the plan as the service stored it, once the run is over */
  async plan(name: RunName): Promise<PlannedRun> {
    const { name: runId } = await this.ended(name);
    return this.#store().plan(runId);
  }

  async result(name: RunName, measurementId: string): Promise<MeasurementResult> {
    const { name: runId } = await this.ended(name);
    return this.#store().result(runId, measurementId);
  }

  async execution(name: RunName): Promise<Execution> {
    const { account, stack } = this.props;
    const runId = await this.start(name);
    const execution = await account.describeExecution(stack.runStateMachineArn, runId);
    if (execution === undefined) throw new Error(`${runId}: must be an execution, is not`);
    return execution;
  }

  /** @returns the summary, once there is one; undefined when none appears within the time */
  async summary(name: RunName, withinSeconds: number): Promise<RunSummaryJson | undefined> {
    const runId = await this.start(name);
    const { account, stack } = this.props;
    const finder = resultFinder(account.listableBucket(stack.bucket));
    for (let waited = 0; ; waited += LOOK_SECONDS) {
      if ((await finder.inventory(runId)).hasSummary) return this.#store().summary(runId);
      if (waited >= withinSeconds) return undefined;
      await this.props.wait(LOOK_SECONDS);
    }
  }

  #store() {
    const { account, stack } = this.props;
    return resultReader(account.readableBucket(stack.bucket));
  }
}
