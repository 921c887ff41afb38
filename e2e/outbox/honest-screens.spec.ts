import { evidenceOf, saidOn, unproved } from '../harness/evidence.ts';
import type { Fate } from '../harness/fault-proxy.ts';
import { expect, test } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { queueRows } from '../harness/queue-rows.ts';
import { expectInside, fillRefund, operationOn, sendButton } from '../harness/steps.ts';

/** Chance that a seed makes, from 0 up to 1. */
const chanceOf = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const fates: readonly Fate[] = [
  'refuse',
  'lose-answer',
  'portal-page',
  'portal-redirect',
  { status: 500 },
  { status: 401 },
  { status: 429 },
  { answerAfterMs: 400 },
  'pass',
];

const isDecided = (path: string): boolean => path === '/v1/commands' || path.startsWith('/v1/operations');

const places = (id: string): readonly string[] => ['/', '/device', `/operations/${id}`];

// Red when: an answer that is none, or an attempt without an end, lets a screen say that Holdfast has it; or the pill
// says "All received" by anything but the verdicts. The seed makes every chance: a failing one is run again alone.
for (const seed of [11, 12, 14]) {
  test(`seed ${seed}: on a network that fails by chance no sentence is stronger than what both sides' rows prove`, async ({
    house,
    serverRows,
    deviceOf,
  }) => {
    const chance = chanceOf(seed);
    const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(chance() * list.length)] as Value;
    const device = await deviceOf('agent');
    let page = await device.start();

    const expectProved = async (): Promise<void> => {
      const said = await saidOn(page);
      expect(unproved(said, await evidenceOf(page, serverRows)), said.screen).toEqual([]);
    };
    const look = async (id: string): Promise<void> => {
      for (const path of places(id)) {
        await page.goto(`${house.origin}${path}`);
        await expect(page.locator(`main a[href*="${id}"], main article`).first()).toBeVisible();
        await expectProved();
      }
    };

    const ids: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const order = await house.sell({ name: `honest-${seed}-${round}`, minor: 2_600 });
      house.network.decide(() => 'pass');
      await page.goto(`${house.origin}/orders/${order.id}`);
      await expectInside(page);
      await fillRefund(page, order);
      house.network.decide(({ path }) => (isDecided(path) ? pick(fates) : 'pass'));
      await sendButton(page).click();
      const id = await operationOn(page);
      ids.push(id);
      await expectProved();
      await look(id);
      if (chance() < 0.5) {
        await device.kill();
        page = await device.start();
        await look(id);
      }
    }
    house.network.decide(() => 'pass');
    await page.goto(`${house.origin}/device`);
    await expectInside(page);
    await until('everything to have its verdict', async () => {
      await page
        .getByRole('button', { name: 'Send now' })
        .click({ timeout: 500 })
        .catch(() => undefined);
      await expectProved();
      const { log } = await queueRows(page);
      return log.filter(({ event }) => event.kind === 'verdict').length === ids.length ? true : undefined;
    });
    const stored = await serverRows.states();
    expect(ids.filter((id) => !stored.has(id))).toEqual([]);
  });
}
