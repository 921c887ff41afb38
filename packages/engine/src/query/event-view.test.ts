import { describe, expect, it } from 'vitest';
import { dashboardLink } from './dashboard-link.ts';
import { redactedEvent } from './event-view.ts';

describe('a webhook shown to operators', () => {
  // Red when: a field is shown that is not on the list.
  it('keeps what says how the refund ended, and hides who the customer is', () => {
    const raw = JSON.stringify({
      id: 'evt_1',
      type: 'refund.failed',
      data: {
        object: {
          id: 're_1',
          status: 'failed',
          failure_reason: 'expired_or_canceled_card',
          metadata: { holdfast_operation: 'op', customer: 'Mara Lind' },
          charge: { id: 'ch_1', billing_details: { name: 'Mara Lind', email: 'mara@example.test' } },
          destination_details: { card: { reference: '4242' }, type: 'card' },
        },
      },
    });
    const shown = redactedEvent(raw);
    for (const kept of ['re_1', 'expired_or_canceled_card', 'op', 'ch_1']) expect(shown).toContain(kept);
    for (const secret of ['Mara', 'mara@', '4242']) expect(shown).not.toContain(secret);
    expect(redactedEvent('no JSON, and a name: Mara')).toBe('(hidden)');
  });
});

describe("the way into the provider's dashboard", () => {
  const account = {
    accountId: 'acct_1',
    liveMode: false,
    fake: false,
    adapter: { contract: { displayName: 'Stripe' } },
  };
  // Red when: a test payment is looked for among the live ones, or a reference from outside becomes an address.
  it('leads to test or live, and nowhere for the fake or for what is no reference of the provider', () => {
    expect(dashboardLink(account, 'pi_1')).toBe('https://dashboard.stripe.com/acct_1/test/payments/pi_1');
    expect(dashboardLink({ ...account, liveMode: true }, 're_1')).toBe(
      'https://dashboard.stripe.com/acct_1/refunds/re_1',
    );
    expect(dashboardLink({ ...account, fake: true }, 'pi_1')).toBeNull();
    for (const odd of [null, '', '../x', 'pi_1/../../evil', 'javascript:pi_1']) {
      expect(dashboardLink(account, odd)).toBeNull();
    }
  });
});
