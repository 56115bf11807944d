import { errorText } from '../errors/aws-errors';

/**
 * Collects the failures of independent steps, so that a resource that AWS refuses to remove (termination protection, a
 * denied or throttled call) does not prevent the removal of the others.
 */
export class Failures {
  readonly #reasons: string[] = [];

  /**
   * @param what names the resource or the query in the reason
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

  /** Adds a problem for which nothing was thrown. */
  add(reason: string): void {
    this.#reasons.push(reason);
  }

  get reasons(): readonly string[] {
    return this.#reasons;
  }

  /** @throws an error that names every failure, after `lead` */
  throwIfAny(lead = 'must be removed by hand or later'): void {
    if (this.#reasons.length > 0) throw new Error(`${lead}: ${this.#reasons.join('; ')}`);
  }
}
