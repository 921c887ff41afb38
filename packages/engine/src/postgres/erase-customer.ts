import type postgres from 'postgres';
import { eraseWords, tellAgain, type ErasedTexts } from './erase-words.ts';
import { ErasureRefusal, inOneErasure, pseudonymOf } from './erase-person.ts';
import { appendOrganisationAudit, auditingOver } from './organisation-audit.ts';

export type EraseCustomer = {
  readonly organisationId: string;
  readonly customerId: string;
  /** Addresses and other spellings that are taken out of texts. */
  readonly also: readonly string[];
  readonly carryOut: boolean;
};

export type ErasedCustomer = {
  readonly pseudonym: string;
  readonly orders: number;
  readonly tickets: number;
  readonly texts: ErasedTexts;
};

const ids = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);

/** What customers and agents wrote to each other is the customer's own: all of it goes, not only the name in it. */
const emptyTickets = (
  tx: postgres.TransactionSql,
  organisationId: string,
  customerId: string,
  pseudonym: string,
) =>
  tx<{ id: string }[]>`update tickets set subject = ${pseudonym}, messages = '[]'
    where org_id = ${organisationId} and customer_id = ${customerId} returning ticket_id as id`;

/**
 * Takes a customer's name, and what was written in their tickets, out of one organisation. The customer's ID stays: it is
 * part of what was approved, and of the fingerprint that the approval is of.
 * @throws ErasureRefusal when no order and no ticket is theirs
 */
export const eraseCustomer = (url: string, asked: EraseCustomer): Promise<ErasedCustomer> =>
  inOneErasure(url, asked.carryOut, async (tx) => {
    const { organisationId, customerId } = asked;
    const pseudonym = pseudonymOf('customer', customerId);
    await tx`set local role holdfast_locator`;
    await tx`select set_config('holdfast.organisation_id', ${organisationId}, true)`;
    const names = await tx<{ name: string }[]>`select distinct customer_name as name from orders
      where org_id = ${organisationId} and customer_id = ${customerId}`;
    const orders = await tx<{ id: string }[]>`update orders set customer_name = ${pseudonym}
      where org_id = ${organisationId} and customer_id = ${customerId} returning order_id as id`;
    const tickets = await emptyTickets(tx, organisationId, customerId, pseudonym);
    if (orders.length === 0 && tickets.length === 0) {
      throw new ErasureRefusal(
        'No order and no ticket is of a customer with this ID.',
        'It is the ID that the shop gives (customer.id), not a name. `--org` names another organisation.',
      );
    }
    const texts = await eraseWords(tx, organisationId, {
      names: [...names.map(({ name }) => name), ...asked.also].filter((name) => name !== pseudonym),
      addresses: asked.also.filter((one) => one.includes('@')),
      pseudonym,
    });
    await tellAgain(tx, organisationId, 'order', ids(orders));
    await tellAgain(tx, organisationId, 'ticket', ids(tickets));
    await tx`set local role holdfast_server`;
    await appendOrganisationAudit(auditingOver(tx, organisationId), {
      type: 'customer-erased',
      by: 'command-line',
      subject: 'organisation',
      data: { orders: orders.length, tickets: tickets.length },
    });
    return { pseudonym, orders: orders.length, tickets: tickets.length, texts };
  });
