/** Seeded randomness: the same seed gives the same series on every machine. */
export interface Random {
  /** Uniform in [low, high). */
  uniform(low: number, high: number): number;
  /** Integer in [low, high]. */
  integer(low: number, high: number): number;
  normal(): number;
  /** Student's t, scaled to a variance of 1; at least three degrees of freedom. */
  studentT(degreesOfFreedom: number): number;
  exponential(mean: number): number;
  /** Log-uniform in [low, high). */
  logUniform(low: number, high: number): number;
  pick<T>(choices: readonly T[]): T;
  chance(probability: number): boolean;
}

/** mulberry32, whose state is one 32-bit word. */
export function seededRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 4294967296;
  };
  const uniform = (low: number, high: number) => low + (high - low) * next();
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const studentT = (degreesOfFreedom: number) => {
    let squares = 0;
    for (let i = 0; i < degreesOfFreedom; i += 1) squares += normal() ** 2;
    return normal() * Math.sqrt((degreesOfFreedom - 2) / squares);
  };
  return {
    uniform,
    integer: (low, high) => Math.floor(uniform(low, high + 1)),
    normal,
    studentT,
    exponential: (mean) => -mean * Math.log(1 - next()),
    logUniform: (low, high) => Math.exp(uniform(Math.log(low), Math.log(high))),
    pick: (choices) => choices[Math.floor(next() * choices.length)]!,
    chance: (probability) => next() < probability,
  };
}
