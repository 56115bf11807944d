/** @returns `plan.pairs[2].placement`, `plan.prices.instanceUsdPerHour["c5.large"]` */
export function formatPlanPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return /^[\w$]+$/.test(String(key)) ? `${text}.${String(key)}` : `${text}[${JSON.stringify(key)}]`;
  }, 'plan');
}
