import { expect, test } from 'vitest';
import { placesFor } from './places.ts';

// Red when: whoever may stop all sending has to know an address for it.
test('the hold stands in the navigation of whoever may put it on, and of nobody else', () => {
  expect(placesFor('operator')).toContain('hold');
  expect(placesFor('admin')).toContain('hold');
  for (const role of ['agent', 'approver', 'integrator'] as const)
    expect(placesFor(role)).not.toContain('hold');
});
