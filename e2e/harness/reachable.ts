import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/**
 * What keeps somebody out of the page as it stands: each serious or critical finding, with the places where it is.
 *
 * Axe would put its answers together in a page of its own, one more process of the browser for every question, because
 * of frames from elsewhere, which this app has none of; and it would describe each element that is well.
 *
 * @param rules the rules to judge by; without them, all
 */
export const graveFindings = async (page: Page, rules?: readonly string[]): Promise<readonly string[]> => {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (rules === undefined ? axe : axe.withRules([...rules])).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
};

/**
 * Nothing that keeps somebody out, by night and by day, and nothing beside the screen's edge.
 * Softly, so that one screen's finding hides no other's.
 */
export const expectReachable = async (page: Page, screen: string): Promise<void> => {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect.soft(await graveFindings(page), `${screen}, dark`).toEqual([]);
  // The two have the same elements and words; only their colours differ.
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  expect.soft(await graveFindings(page, ['color-contrast']), `${screen}, light`).toEqual([]);
  const beside = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect.soft(beside, `${screen}, pixels beside the screen`).toBeLessThanOrEqual(0);
};
