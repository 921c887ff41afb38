import type { OrganisationTransaction } from './connection.ts';
import { codecOf } from './row-codec.ts';
import { mirrorRefunds, type MirrorRefundRow } from './schema.ts';
import type { SeenRefund } from './working-memory.ts';
import { paymentKey } from './working-memory.ts';

const refundCodec = codecOf(mirrorRefunds);

/** Refunds in the mirror that the given condition finds, each with the operation of its payment that carries its reference. */
export const seenRefundsWhere = (
  tx: OrganisationTransaction,
  condition: string,
  parameters: readonly (string | readonly string[])[],
): Promise<readonly SeenRefund[]> =>
  seenRefundsFrom(tx, `mirror_refunds t where t.org_id = $1 and ${condition}`, parameters);

/** The same of those rows of the mirror that `t` stands for. */
export const seenRefundsFrom = async (
  tx: OrganisationTransaction,
  from: string,
  parameters: readonly (string | readonly string[])[],
): Promise<readonly SeenRefund[]> => {
  const found = await tx.ask<{ holder: string | null; refund: unknown[] }>(
    `select (select o.id from operations o where o.org_id = t.org_id and o.provider = t.provider
        and o.payment_reference = t.payment_reference and o.provider_reference = t.reference limit 1) as holder,
      json_build_array(${refundCodec.columns('t')}) as refund
      from ${from}`,
    [tx.organisationId, ...parameters],
  );
  return found.map(({ holder, refund }) => ({ holder, refund: refundCodec.decode(refund) }));
};

/** Every refund of a payment that the mirror holds. */
export const readSeenRefunds = async (
  tx: OrganisationTransaction,
  provider: string,
  paymentReference: string,
): Promise<readonly SeenRefund[]> =>
  tx.memory.refundsOf.get(paymentKey(provider, paymentReference)) ??
  (await seenRefundsWhere(tx, 't.provider = $2 and t.payment_reference = $3', [provider, paymentReference]));

/** Refunds that name an operation of ours as the one they were made for. */
export const refundsNaming = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<readonly MirrorRefundRow[]> => {
  if (tx.memory.unnamed.has(operationId)) return [];
  const found = await seenRefundsWhere(tx, 't.metadata_org_id = $1 and lower(t.metadata_operation_id) = $2', [
    operationId,
  ]);
  return found.map(({ refund }) => refund);
};
