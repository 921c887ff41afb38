import { expect, test } from 'vitest';
import { budgetText, processorBudget } from './processor-budget.ts';

const cost = { walBytes: 0, writingCommits: 0 };
const bare = {
  operations: 1_000,
  cost: { ...cost, serverSeconds: 9, databaseSeconds: 3, providerSeconds: 9, clientSeconds: 1 },
};
const product = {
  operations: 100,
  cost: { ...cost, serverSeconds: 3, databaseSeconds: 2, providerSeconds: 0.2, clientSeconds: 0.1 },
};

// Red when: the idling server counts as the bare SQL's work, or totals are compared instead of an operation's share.
test('the budget is what bare SQL takes an operation, stretched by the rate that is aimed at', () => {
  const budget = processorBudget(bare, product, 0.4);
  expect(budget?.mayTakeMs).toBeCloseTo(10);
  expect(budget?.takesMs).toBeCloseTo(53);
  expect(budget && budgetText(budget, 0.4)).toContain(
    '10.0 ms of processor time in all; it takes 53.0 (server 30.0, database 20.0, provider 2.0, client 1.0)',
  );
});

test('where processor time is not told there is no budget', () => {
  expect(
    processorBudget(bare, { ...product, cost: { ...product.cost, serverSeconds: null } }, 0.4),
  ).toBeNull();
});
