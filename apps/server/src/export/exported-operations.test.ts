import type { Operation } from '@holdfast/operation';
import { expect, it } from 'vitest';
import { exportedOperations } from './exported-operations.ts';

const said = {
  ...{ by: { id: 'dan', name: 'Dan House' }, outcome: 'failed', note: 'Nothing at Stripe.', waiting: false },
  second: { by: { id: 'cleo', name: 'Cleo Desk' }, note: 'I looked too.', at: '2026-11-30T10:00:00.000Z' },
};
const settled = { amount: null, attention: [], approvals: [], provider: {}, resolution: said };

// Red when: only one of two notes is exported, or one stands beside the other's writer.
it('the export of operations says who settled each, and what each of two people wrote', () => {
  const cells = exportedOperations.row(settled as unknown as Operation, (at) => at);
  const headings = exportedOperations.headings('UTC');
  const line = Object.fromEntries(headings.map((heading, index) => [heading, cells[index]]));
  expect(cells).toHaveLength(headings.length);
  expect(line).toMatchObject({
    ...{ operators_say: 'failed', waits_for_second_operator: false },
    ...{ first_operator: 'Dan House', first_operator_wrote: 'Nothing at Stripe.' },
    ...{ second_operator: 'Cleo Desk', second_operator_wrote: 'I looked too.' },
  });
});
