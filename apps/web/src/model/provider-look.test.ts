import { describe, expect, test } from 'vitest';
import type { ProviderLedger } from '@holdfast/operation';
import { lookEnded, nothingSeen, standingMoved, wantLook } from './provider-look.ts';

const ledgerAt = (askedAt: string): ProviderLedger => ({
  askedAt,
  provider: 'Stripe',
  paymentReference: 'pi_1',
  dashboard: null,
  answer: { captured: null, refunds: [], disputes: [] },
  because: null,
});
const noon = ledgerAt('2026-11-30T12:00:00.000Z');
const later = ledgerAt('2026-11-30T12:05:00.000Z');

const unknownSeen = lookEnded(standingMoved(nothingSeen, 'one outcome_unknown').look, noon).look;

describe("what a page shows of the provider's side", () => {
  test('is asked for when it opens, and shown', () => {
    expect(standingMoved(nothingSeen, 'one outcome_unknown').ask).toBe(true);
    expect(unknownSeen).toMatchObject({ ledger: noon, asking: null, unanswered: false });
  });

  test('is asked for once, however often its state is read', () => {
    expect(standingMoved(unknownSeen, 'one outcome_unknown').ask).toBe(false);
  });

  // Red when: a look of the state before stands beside the state of now: "confirmed, shows none: differs".
  test('goes when the state moves, also where no other look comes', () => {
    const moved = standingMoved(unknownSeen, 'one confirmed');
    expect(moved).toMatchObject({ ask: true, look: { ledger: null } });
    expect(lookEnded(moved.look, null)).toMatchObject({
      ask: false,
      look: { ledger: null, unanswered: true },
    });
  });

  // Red when: the state moves while a question is under way, and its answer is kept or not asked for again.
  test('that was under way as the state moved is not shown, and asked for again', () => {
    const underWay = wantLook(unknownSeen).look;
    const moved = standingMoved(underWay, 'one confirmed');
    expect(moved.ask).toBe(false);
    const ended = lookEnded(moved.look, noon);
    expect(ended).toMatchObject({ ask: true, look: { ledger: null } });
    expect(lookEnded(ended.look, later)).toMatchObject({ ask: false, look: { ledger: later } });
  });

  test('that somebody wants again while it is under way is asked for once more', () => {
    const twice = wantLook(wantLook(wantLook(unknownSeen).look).look);
    expect(twice.ask).toBe(false);
    const ended = lookEnded(twice.look, noon);
    expect(ended.ask).toBe(true);
    expect(lookEnded(ended.look, later).ask).toBe(false);
  });

  test('stays, with its time, where a second question is not answered', () => {
    const ended = lookEnded(wantLook(unknownSeen).look, null);
    expect(ended).toMatchObject({ ask: false, look: { ledger: noon, unanswered: true } });
  });
});
