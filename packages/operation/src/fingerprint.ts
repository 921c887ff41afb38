import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './canonical-json.ts';

/** Everything that would be done, by IDs alone: no name, so a person can be erased without breaking an approval. */
export type FingerprintFacts = {
  readonly kind: 'refund';
  readonly organisationId: string;
  /** `null` while the organisation has no provider account. */
  readonly providerAccountId: string | null;
  readonly paymentReference: string;
  readonly customerId: string;
  readonly orderId: string;
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[];
  readonly returnId: string | null;
  /** In the currency's minor unit. */
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
};

/** SHA-256 of the canonical JSON, 64 lower-case hexadecimal digits. The order of the lines says nothing. */
export const fingerprintOf = (facts: FingerprintFacts): string =>
  bytesToHex(
    sha256(
      utf8ToBytes(
        canonicalJson({
          kind: facts.kind,
          organisationId: facts.organisationId,
          providerAccountId: facts.providerAccountId,
          paymentReference: facts.paymentReference,
          customerId: facts.customerId,
          orderId: facts.orderId,
          lines: inOneOrder(facts.lines),
          returnId: facts.returnId,
          amount: facts.amount,
          currency: facts.currency,
          reason: facts.reason,
        }),
      ),
    ),
  );

type Line = { readonly sku: string; readonly quantity: number };

/** Lines sorted by SKU, then quantity: two lists that say the same become the same list. */
export const inOneOrder = (lines: readonly Line[]): readonly { sku: string; quantity: number }[] =>
  lines
    .map(({ sku, quantity }) => ({ sku, quantity }))
    .sort((one, other) =>
      one.sku === other.sku ? one.quantity - other.quantity : one.sku < other.sku ? -1 : 1,
    );
