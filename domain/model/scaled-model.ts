/**
 * A test account may hold a model of EC2 on a smaller scale: rates that are divided, and credits that run out sooner. Its
 * deployment says so by three tags, and everything that comes of its runs repeats it. EC2 itself has none of them.
 *
 * | figure                                        | on EC2                             |
 * | --------------------------------------------- | ---------------------------------- |
 * | a rate                                        | × `rateDivisor`                    |
 * | the time until credits run out or come back   | × `timeDivisor`                    |
 * | a volume of credits                           | × both                             |
 * | a rate that a host's processors or the path limit, a round trip, packets per second | no plain scaling |
 */
import type { Verdict } from './verdict';

export interface ScaledModel {
  /** `lab` */
  readonly name: string;
  /** EC2's rates are so many times higher. */
  readonly rateDivisor: number;
  /** On EC2, credits last so many times longer. */
  readonly timeDivisor: number;
}

const MODEL_TAGS = { name: 'ScaledModel', rateDivisor: 'RateDivisor', timeDivisor: 'TimeDivisor' } as const;

/**
 * @param tags of the deployment
 * @returns undefined where nothing is scaled
 * @throws where an account is named a model without both divisors
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

/** `Measured in "lab", a model of EC2: its rates are EC2's divided by 10, …` */
export function scaledModelInWords({ name, rateDivisor, timeDivisor }: ScaledModel): string {
  const times =
    timeDivisor === 1 ? 'credits last as long as on EC2' : `credits run out and come back ${timeDivisor} times sooner`;
  return (
    `Measured in "${name}", a scaled model of EC2: its rates are EC2's divided by ${rateDivisor}, and ${times}. ` +
    'Round trips and packets per second are those of the model'
  );
}

/** What scales by the divisors alone: rates of credits, of levels that nothing is known to limit, and of published limits. */
const PLAINLY_SCALED: readonly unknown[] = [null, 'network_credits', 'single_flow_cap', 'published_bandwidth'];

export function isPlainlyScaled({ kind, cause, onset }: Pick<Verdict, 'kind' | 'cause' | 'onset'>): boolean {
  const isKnown =
    onset === null ? kind === 'steady' || kind === 'dips' || kind === 'noisy' : cause === 'network_credits';
  return isKnown && PLAINLY_SCALED.includes(cause);
}
