/** What axe objects to in a page. */
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';

/** `rule: target` of everything that axe objects to. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    interface Finding {
      readonly id: string;
      readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
    }
    const { axe: inPage } = window as unknown as { axe: { run(): Promise<{ violations: readonly Finding[] }> } };
    const { violations } = await inPage.run();
    return violations.map(({ id, nodes }) => {
      const [first] = nodes;
      return `${id}: ${String(first?.target)} and ${nodes.length - 1} others: ${first?.failureSummary ?? ''}`;
    });
  });
}
