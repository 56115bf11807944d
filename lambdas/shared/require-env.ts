/** Returns an environment variable that the stack must have set; read once, at cold start. */
export function requireEnv(name: string): string {
  const value = process.env[name]?.trim();
  if (value === undefined || value === '') {
    throw new Error(`environment variable ${name}: must be set, got ${JSON.stringify(process.env[name] ?? null)}`);
  }
  return value;
}

/** A comma-separated list with at least one entry. */
export function requireEnvList(name: string): string[] {
  return entriesOf(requireEnv(name));
}

/** A comma-separated list that may be empty, but not unset. */
export function requireEnvListOrNone(name: string): string[] {
  const value = process.env[name];
  if (value === undefined) throw new Error(`environment variable ${name}: must be set, got nothing`);
  return entriesOf(value);
}

function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
