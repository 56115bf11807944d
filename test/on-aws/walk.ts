/**
 * Makes the checks one after another. Each ends with one of three verdicts:
 *
 * | verdict      | when                                                                                              |
 * | ------------ | ------------------------------------------------------------------------------------------------- |
 * | `proven`     | AWS gave the answer that the check names                                                          |
 * | `not_proven` | AWS gave another answer, or an error                                                              |
 * | `unanswered` | it was not asked: named as unanswerable there, over the cost limit, interrupted, lacking, not permitted |
 */
import { sum } from '../../domain/maths/statistics';
import { errorCode, errorText } from '../../lambdas/errors/aws-errors';
import { Interrupted, type Check, type CheckContext } from './check';
import { runsOf } from './price';
import type { RunName } from './run-plans';

export interface CheckRow {
  readonly id: string;
  readonly title: string;
  readonly verdict: 'proven' | 'not_proven' | 'unanswered';
  /** Whether the caller named it as unanswerable where it runs. Every other row that is not proven is a failure. */
  readonly expectedUnanswered: boolean;
  /** The call whose answer shows it; empty when nothing was asked. */
  readonly call: string;
  /** What was answered, or why nothing was asked. */
  readonly evidence: string;
  readonly seconds: number;
}

export interface WalkProps {
  readonly checks: readonly Check[];
  readonly context: CheckContext;
  /** Why a check can't be answered here, by its id. */
  readonly unanswerable: ReadonlyMap<string, string>;
  /** Why a run can't be launched in this account. */
  readonly unlaunchable: ReadonlyMap<RunName, string>;
  /** What a run costs at most, in US dollars. */
  readonly upperUsdOfRun: (name: RunName) => number;
  readonly maxCostUsd: number;
  readonly isInterrupted: () => boolean;
  /** In milliseconds. */
  readonly now: () => number;
  readonly report: (row: CheckRow) => void;
}

/** Error codes that are about the credentials with which the checks run, and not about the stack. */
const NOT_PERMITTED = /^(AccessDenied|UnauthorizedOperation|ExpiredToken|CredentialsProviderError|UnrecognizedClient)/;

/** Sums of the same prices in another order differ by less. */
const ROUNDING_USD = 1e-9;

export async function walk(props: WalkProps): Promise<CheckRow[]> {
  const rows: CheckRow[] = [];
  let committedUsd = 0;
  for (const check of props.checks) {
    const startedAt = props.now();
    const priceUsd = upperUsdOf(check, props);
    const reason = reasonNotToAsk(check, props, committedUsd, priceUsd);
    if (reason === undefined) committedUsd += priceUsd;
    const found = reason === undefined ? await ask(check, props) : unanswered(reason);
    const row = {
      id: check.id,
      title: check.title,
      ...found,
      expectedUnanswered: props.unanswerable.has(check.id),
      seconds: Math.round((props.now() - startedAt) / 1000),
    };
    props.report(row);
    rows.push(row);
  }
  return rows;
}

/** What a check adds to the price: a run that was started before is paid for already. */
function upperUsdOf(check: Check, { context, upperUsdOfRun }: WalkProps): number {
  const unpaid = runsOf([check]).filter((run) => !context.runs.hasStarted(run));
  return (check.ownUsd ?? 0) + sum(unpaid.map(upperUsdOfRun));
}

function reasonNotToAsk(check: Check, props: WalkProps, committedUsd: number, priceUsd: number): string | undefined {
  const { unanswerable, unlaunchable, maxCostUsd, isInterrupted } = props;
  if (isInterrupted()) return 'interrupted before it began';
  const named = unanswerable.get(check.id);
  if (named !== undefined) return named;
  const lack = runsOf([check]).find((run) => unlaunchable.has(run));
  if (lack !== undefined) return `the account lacks what the run ${lack} needs: ${unlaunchable.get(lack) ?? ''}`;
  if (committedUsd + priceUsd <= maxCostUsd + ROUNDING_USD) return undefined;
  const spent = `${committedUsd.toFixed(2)} USD can be spent already`;
  return `the cost limit of ${maxCostUsd.toFixed(2)} USD: ${spent}, and this check can cost ${priceUsd.toFixed(2)} USD`;
}

type Found = Pick<CheckRow, 'verdict' | 'call' | 'evidence'>;

async function ask(check: Check, { context }: WalkProps): Promise<Found> {
  try {
    const { proven, call, evidence } = await check.look(context);
    return { verdict: proven ? 'proven' : 'not_proven', call, evidence };
  } catch (thrown) {
    if (thrown instanceof Interrupted) return unanswered('interrupted');
    if (NOT_PERMITTED.test(errorCode(thrown))) return unanswered(`these credentials: ${errorText(thrown)}`);
    return { verdict: 'not_proven', call: '', evidence: errorText(thrown) };
  }
}

function unanswered(evidence: string): Found {
  return { verdict: 'unanswered', call: '', evidence };
}

/** Whether everything that could be answered is proven. */
export function isProven(rows: readonly CheckRow[]): boolean {
  return rows.every(({ verdict, expectedUnanswered }) => verdict === 'proven' || expectedUnanswered);
}
