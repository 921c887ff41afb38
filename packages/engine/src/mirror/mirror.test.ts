import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byPayment } from './by-payment.ts';
import { nextListingWindow, pausesBetweenListings, type MirrorPosition } from './listing-window.ts';
import { readAccount } from './read-account.ts';
import { whoseRefund } from './whose-refund.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import type { ListingAnswer } from '@holdfast/providers';

describe('the mirror', () => {
  test('one listing always begins before the last one did, unless coverage starts anew and says so', () => {
    // Red when: the next window begins at the end of the last listing instead of before its beginning.
    fc.assert(
      fc.property(fc.option(fc.nat(1e9)), fc.nat(1e9), (readAtMs, laterMs) => {
        const nowMs = (readAtMs ?? 0) + laterMs;
        const window = nextListingWindow({ readAtMs, unbrokenSinceMs: 0 }, nowMs);
        expect(window.sinceMs).toBeLessThan(nowMs);
        if (!window.startsAnew) expect(window.sinceMs).toBeLessThan(readAtMs ?? 0);
      }),
    );
  });

  test('an account is never listed more often than once a second, nor every few seconds when idle', () => {
    fc.assert(
      fc.property(fc.nat(100_000), (freshForMs) => {
        const offered = pausesBetweenListings(true, freshForMs);
        expect(offered.workingMs).toBeGreaterThanOrEqual(1_000);
        expect(offered.workingMs).toBeLessThanOrEqual(3_000);
        expect(offered.idleMs).toBeGreaterThanOrEqual(30_000);
        expect(pausesBetweenListings(false, freshForMs).workingMs).toBeGreaterThanOrEqual(30_000);
      }),
    );
  });

  test('a refund is elsewhere’s unless it carries our organisation and an operation ID', () => {
    expect(whoseRefund({ organisationId: 'us', operationId: 'OP-1' }, 'us')).toEqual({
      kind: 'ours',
      operationId: 'op-1',
    });
    expect(whoseRefund({ organisationId: 'us', operationId: null }, 'us').kind).toBe('foreign');
    expect(whoseRefund({ organisationId: 'them', operationId: 'op-1' }, 'us').kind).toBe('foreign');
  });

  test('a long listing is taken in payment by payment, and nothing of it is lost', () => {
    const payments = fc.array(fc.constantFrom('pi_1', 'pi_2', 'pi_3'), { maxLength: 20 });
    fc.assert(
      fc.property(payments, (names) => {
        const refunds = names.map((paymentReference, index) => ({
          paymentReference,
          reference: `re_${String(index)}`,
        }));
        const parts = byPayment({
          refunds: refunds as never,
          disputes: [],
          askedPayment: null,
          source: 'listing',
        });
        expect(parts.flatMap((part) => part.refunds)).toHaveLength(names.length);
        for (const part of parts)
          expect(new Set(part.refunds.map((refund) => refund.paymentReference)).size).toBe(1);
      }),
    );
  });

  const turnsTaken = async (answer: ListingAnswer): Promise<MirrorPosition | null | undefined> => {
    let finished: MirrorPosition | null | undefined;
    const account = {
      organisationId: 'org',
      adapter: { contract: { mirrorFreshForMs: 15_000 } },
    } as unknown as ProviderAccount;
    await readAccount(
      {
        takeTurn: () =>
          Promise.resolve({
            nowMs: 9_000_000,
            position: { readAtMs: 8_999_000, unbrokenSinceMs: 5 },
          }),
        listSince: () => Promise.resolve(answer),
        absorb: () => Promise.resolve(),
        finishTurn: (_account, turn) => {
          finished = turn.position;
          return Promise.resolve();
        },
      },
      account,
      1_000,
    );
    return finished;
  };

  test('a listing without an answer teaches nothing: the next one reads the same window again', async () => {
    // Red when: the position moves on although the provider did not answer.
    expect(await turnsTaken({ kind: 'no-answer', because: 'timeout', ourKeyRefused: false })).toBeNull();
    expect(await turnsTaken({ kind: 'answer', refunds: [], disputes: [], providerDateMs: null })).toEqual({
      readAtMs: 9_000_000,
      unbrokenSinceMs: 5,
    });
  });
});
