import { createStripeAdapter } from '@holdfast/providers/stripe';

/**
 * What a sweep must not do: reads both sides whole and compares them at the end. Run with as little memory as the sweep
 * beside it, to show that so little is too little for that.
 */
const [apiBase = '', sinceMs = '0'] = process.argv.slice(2);
const adapter = createStripeAdapter({ secretKey: 'sk_test_big', apiBase, nowMs: Date.now });
const theirs = new Map<string, unknown>();
const ours = new Map<string, unknown>();
let after: string | null = null;
do {
  const page = await adapter.refundPage(Number(sinceMs), after, Date.now() + 60_000);
  if (page.kind === 'no-answer') throw new Error(page.because);
  for (const refund of page.refunds) {
    theirs.set(refund.reference, refund);
    ours.set(String(refund.operationId), {
      id: refund.operationId,
      state: 'confirmed',
      reference: refund.reference,
      paymentReference: refund.paymentReference,
      amount: { ...refund.amount },
    });
  }
  after = page.next;
} while (after !== null);
process.stdout.write(`held ${String(theirs.size)} and ${String(ours.size)}\n`);
