/**
 * A test account may run a model of EC2 on a smaller scale, with lower rates and credits that run out sooner. Three
 * tags of its deployment say so, and everything that its runs produce repeats it. EC2 itself has none of these tags.
 *
 * | figure                                                  | on EC2                      |
 * | ------------------------------------------------------- | --------------------------- |
 * | a rate                                                  | multiplied by `rateDivisor` |
 * | the time until credits run out or are refilled          | multiplied by `timeDivisor` |
 * | a volume of credits                                     | multiplied by both          |
 * | a rate that a host's processors or the path limit,      | does not follow from it     |
 * | a round trip, packets per second                        |                             |
 */
import type { Verdict } from './verdict';

export interface ScaledModel {
  /** The name of the model: `lab`. */
  readonly name: string;
  /** How many times higher EC2's rates are. */
  readonly rateDivisor: number;
  /** How many times longer credits last on EC2. */
  readonly timeDivisor: number;
}

const MODEL_TAGS = { name: 'ScaledModel', rateDivisor: 'RateDivisor', timeDivisor: 'TimeDivisor' } as const;

/**
 * @param tags of the deployment
 * @returns undefined if nothing is scaled
 * @throws if the deployment names a model without both divisors
 */
export function scaledModelOf(tags: Readonly<Record<string, string>>): ScaledModel | undefined {
  const name = tags[MODEL_TAGS.name];
  if (name === undefined) return undefined;
  const divisor = (tag: string) => {
    const value = Number(tags[tag]);
    if (value > 0 && Number.isFinite(value)) return value;
    throw new Error(`tag ${tag}: must be a number above 0 beside the tag ${MODEL_TAGS.name}, got ${tags[tag]}`);
  };
  return { name, rateDivisor: divisor(MODEL_TAGS.rateDivisor), timeDivisor: divisor(MODEL_TAGS.timeDivisor) };
}

/** Returns `Measured in "lab", a scaled model of EC2: its rates are EC2's divided by 10, …`. */
export function scaledModelInWords({ name, rateDivisor, timeDivisor }: ScaledModel): string {
  const times =
    timeDivisor === 1 ? 'credits last as long as on EC2' : `credits run out and come back ${timeDivisor} times sooner`;
  return (
    `Measured in "${name}", a scaled model of EC2: its rates are EC2's divided by ${rateDivisor}, and ${times}. ` +
    'Round trips and packets per second are those of the model'
  );
}

/** Causes whose rates scale by a divisor alone: credits, published limits, and no known limit (null). */
const PLAINLY_SCALED: readonly unknown[] = [null, 'network_credits', 'single_flow_cap', 'published_bandwidth'];

export function isPlainlyScaled({ kind, cause, onset }: Pick<Verdict, 'kind' | 'cause' | 'onset'>): boolean {
  const isKnown =
    onset === null ? kind === 'steady' || kind === 'dips' || kind === 'noisy' : cause === 'network_credits';
  return isKnown && PLAINLY_SCALED.includes(cause);
}
