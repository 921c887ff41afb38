import { expect, test } from '../harness/journey.ts';
import { approve, expectOneRefund, findOrder, operationOn, reach, sendButton } from '../harness/steps.ts';

const typed = [
  {
    field: 'F077',
    name: 'comma',
    locale: 'nl-NL',
    currency: 'EUR',
    captured: 5_000,
    text: '6,95',
    said: 'EUR 6,95',
    minor: 695,
  },
  {
    field: 'F068',
    name: 'yen',
    locale: 'nl-NL',
    currency: 'JPY',
    captured: 5_000,
    text: '500',
    said: 'JPY 500',
    minor: 500,
  },
] as const;

for (const { field, name, locale, currency, captured, text, said, minor } of typed) {
  test(`${field}: "${text}" typed in ${locale} is said back as ${said} and refunds ${String(minor)} minor units`, async ({
    house,
    visit,
  }) => {
    const order = await house.sell({ name: `typed-${name}`, minor: captured, currency });
    const agent = await visit('agent', { locale });
    await findOrder(agent, order);
    await agent.getByRole('button', { name: 'Refund' }).click();
    await agent.getByLabel(`Amount in ${currency}`).fill(text);
    await expect(agent.getByRole('dialog')).toContainText(`The customer gets ${said}.`);
    await sendButton(agent).click();
    const id = await operationOn(agent);
    expect((await reach(house, id, 'proposed')).amount).toEqual({ minor, currency });
    await approve(await visit('approver'), order);
    await expectOneRefund(house, order, id, minor);
  });
}
