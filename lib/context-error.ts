/** Says what is wrong with a setting of the deployment, to whoever has set it: its message is all that they need. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}
