import { describe, expect, test } from 'vitest';
import { pendingAccount, usuallyWithinMs, type PendingTime } from '../src/operation.ts';

const hourMs = 3_600_000;
const inHours = (milliseconds: number): string => `${String(milliseconds / hourMs)} h`;
const few: PendingTime = { provider: 'stripe', endsWithinMs: 120 * hourMs, past: null };
const many: PendingTime = { ...few, past: { count: 40, medianMs: 2 * hourMs, mostMs: 9 * hourMs } };
const facts = { providerName: 'Stripe', providerReference: 're_1', nextLookText: 'in 1 h' };

describe('what is said of a pending refund', () => {
  // Red when: an organisation's own past is not preferred to what is known of the provider in general.
  test('measures it by the organisation’s own past where there is enough of it', () => {
    expect([usuallyWithinMs(many), usuallyWithinMs(few)]).toEqual([9 * hourMs, 120 * hourMs]);
    const account = pendingAccount({ ...facts, lastsMs: 10 * hourMs, usual: many }, inHours);
    expect(account).toEqual({
      lasts: 'Stripe has been processing it for 10 h. That is longer than usual.',
      usual: 'Of your last 40 that Stripe took time over, half were done within 2 h, 95 of 100 within 9 h.',
      next: 'Stripe is asked about re_1 again in 1 h. Its webhook, or a sweep, may tell sooner.',
      isBeyondUsual: true,
    });
    expect(pendingAccount({ ...facts, lastsMs: 10 * hourMs, usual: few }, inHours)).toMatchObject({
      lasts: 'Stripe has been processing it for 10 h.',
      isBeyondUsual: false,
    });
  });

  // Red when: what is not known is made up.
  test('says nothing of what it does not know', () => {
    const account = pendingAccount({ ...facts, lastsMs: null, usual: null, nextLookText: null }, inHours);
    expect(account).toMatchObject({ lasts: null, usual: null, isBeyondUsual: false });
    expect(account.next).toMatch(/^No look is scheduled\./);
  });
});
