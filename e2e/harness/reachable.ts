import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/**
 * Nothing that keeps somebody out, by day and by night, and nothing beside the screen's edge.
 * Softly, so that one screen's finding hides no other's.
 */
export const expectReachable = async (page: Page, screen: string): Promise<void> => {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const grave = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
    expect.soft(grave, `${screen}, ${colorScheme}`).toEqual([]);
  }
  const beside = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect.soft(beside, `${screen}, pixels beside the screen`).toBeLessThanOrEqual(0);
};
