/** Returns an environment variable that the stack must have set; read once, at cold start. */
export function requireEnv(name: string): string {
  const value = process.env[name]?.trim() ?? '';
  if (value === '') {
    throw new Error(`environment variable ${name}: must be set, got ${JSON.stringify(process.env[name] ?? null)}`);
  }
  return value;
}

/** Returns a comma-separated list, which may be empty, but not unset. */
export function requireEnvListOrNone(name: string): string[] {
  const value = process.env[name];
  if (value === undefined) throw new Error(`environment variable ${name}: must be set, got nothing`);
  return value === '' ? [] : value.split(',');
}
