import { errorText } from '../errors/aws-errors';

/**
 * Collects what fails among steps that don't need each other. While resources are removed, one that AWS refuses to remove
 * (termination protection, a denied or throttled call) keeps none of the others.
 */
export class Failures {
  readonly #reasons: string[] = [];

  /**
   * @param what the resource or the question, in words
   * @returns the action's value, or `otherwise` if it fails
   */
  async attempt<Value>(what: string, action: () => Promise<Value>, otherwise: Value): Promise<Value> {
    try {
      return await action();
    } catch (thrown) {
      this.#reasons.push(`${what}: ${errorText(thrown)}`);
      return otherwise;
    }
  }

  /** What is wrong without anything having been thrown, in words. */
  add(reason: string): void {
    this.#reasons.push(reason);
  }

  /** Each failure with its resource and its error. */
  get reasons(): readonly string[] {
    return this.#reasons;
  }

  /** @throws Error that names every failure, after `lead` */
  throwIfAny(lead = 'must be removed by hand or later'): void {
    if (this.#reasons.length > 0) throw new Error(`${lead}: ${this.#reasons.join('; ')}`);
  }
}
