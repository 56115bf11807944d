/**
 * The SDK declares every field of an answer as optional. This is for the fields that AWS always sends.
 * @throws when the field is missing after all
 */
export function answered<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new Error(`${field}: must be in the answer of AWS, is not`);
  return value;
}
