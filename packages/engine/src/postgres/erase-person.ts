import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import type { Erasure } from '../erase/without-words.ts';
import { openDriver } from './connection.ts';
import { eraseWords, tellAgain, type ErasedTexts } from './erase-words.ts';
import { appendOrganisationAudit, auditingOver } from './organisation-audit.ts';

/** Thrown where nothing was erased: what is wrong, and what to do. */
export class ErasureRefusal extends Error {
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'ErasureRefusal';
    this.remedy = remedy;
  }
}

export type ErasePerson = {
  /** Their address or their ID. */
  readonly person: string;
  /** Other spellings that are taken out of texts. */
  readonly also: readonly string[];
  /** False: everything is done, counted, and undone. */
  readonly carryOut: boolean;
};

export type ErasedPerson = {
  readonly id: string;
  readonly pseudonym: string;
  readonly sessions: number;
  readonly passkeys: number;
  readonly browsers: number;
  readonly organisations: readonly { readonly id: string; readonly texts: ErasedTexts }[];
};

/** The same for the same ID, and nothing that leads back to a name. */
export const pseudonymOf = (kind: 'person' | 'customer', id: string): string =>
  `Erased ${kind} ${createHash('sha256').update(`${kind} ${id}`).digest('hex').slice(0, 8)}`;

class NotCarriedOut extends Error {}

/** One transaction as the database's own user: all of it, or nothing. */
export const inOneErasure = async <Result>(
  url: string,
  carryOut: boolean,
  work: (tx: postgres.TransactionSql) => Promise<Result>,
): Promise<Result> => {
  const sql = openDriver({ url, maximum: 1, applicationName: 'holdfast erase' }, null);
  let done: { readonly result: Result } | undefined;
  try {
    await sql.begin(async (tx) => {
      done = { result: await work(tx) };
      if (!carryOut) throw new NotCarriedOut();
    });
  } catch (error) {
    if (!(error instanceof NotCarriedOut)) throw error;
  } finally {
    await sql.end({ timeout: 5 });
  }
  if (done === undefined) throw new Error('an erasure ended without a result');
  return done.result;
};

export const organisationIds = async (tx: postgres.TransactionSql): Promise<readonly string[]> => {
  await tx`set local role holdfast_server`;
  const rows = await tx<{ org_id: string }[]>`select org_id from all_organisations()`;
  await tx`reset role`;
  return rows.map((row) => row.org_id);
};

type Found = { readonly id: string; readonly name: string; readonly email: string };

const findPerson = async (tx: postgres.TransactionSql, given: string): Promise<Found> => {
  const [found] = await tx<Found[]>`
    select id, name, email from sign_in."user" where id = ${given} or lower(email) = lower(${given})`;
  if (found === undefined) {
    throw new ErasureRefusal(
      'There is no person of this address or ID.',
      'An erased person is found by the ID alone; the audit names it.',
    );
  }
  await tx`set local role holdfast_server`;
  const memberships = await tx<{ organisation_name: string }[]>`
    select organisation_name from memberships_of(${found.id})`;
  await tx`reset role`;
  if (memberships.length > 0) {
    throw new ErasureRefusal(
      `They still belong to ${memberships.map((one) => one.organisation_name).join(', ')}.`,
      'Remove them there under People first; their keys end with them.',
    );
  }
  return found;
};

/** Where they sign in: tables without organisations, which belong to the database's own user. */
const eraseSignIn = async (tx: postgres.TransactionSql, { id, email }: Found, pseudonym: string) => {
  await tx`reset role`;
  const sessions = await tx`delete from sign_in.session where "userId" = ${id}`;
  // What a passkey signed is kept with its public key beside the approval: it stays verifiable without the passkey.
  const passkeys = await tx`delete from sign_in.passkey where user_id = ${id}`;
  await tx`delete from sign_in.account where "userId" = ${id}`;
  await tx`delete from sign_in.verification where value = ${id} or lower(identifier) like ${`%${email.toLowerCase()}%`}`;
  await tx`update sign_in."user" set name = ${pseudonym}, email = ${`${id.toLowerCase()}@erased.invalid`},
    "emailVerified" = false, image = null, "lastOrganisationId" = null, "updatedAt" = now() where id = ${id}`;
  return { sessions: sessions.count, passkeys: passkeys.count };
};

/** What names them by their ID in one organisation; answers whether anything did, and their browsers. */
const eraseMembership = async (
  tx: postgres.TransactionSql,
  organisationId: string,
  { id, email }: Found,
  pseudonym: string,
): Promise<{
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly browsers: number;
}> => {
  await tx`set local role holdfast_locator`;
  await tx`select set_config('holdfast.organisation_id', ${organisationId}, true)`;
  const [member] = await tx<{ name: string; email: string }[]>`
    select name, email from members where org_id = ${organisationId} and user_id = ${id} for update`;
  const actor = await tx<{ name: string }[]>`
    select name from actors where org_id = ${organisationId} and actor_id = ${id} for update`;
  const invited = await tx<{ name: string; email: string }[]>`select name, email from invitations
    where org_id = ${organisationId} and (lower(email) = lower(${email}) or accepted_by = ${id}) for update`;
  await tx`update invitations set name = ${pseudonym}, email = 'erased-' || id || '@erased.invalid',
      withdrawn_at = case when accepted_at is null then coalesce(withdrawn_at, now()) end,
      withdrawn_by = case when accepted_at is null then coalesce(withdrawn_by, 'command-line') end
    where org_id = ${organisationId} and (lower(email) = lower(${email}) or accepted_by = ${id})`;
  if (member !== undefined) {
    await tx`update members set name = ${pseudonym}, email = ${`${id.toLowerCase()}@erased.invalid`}
      where org_id = ${organisationId} and user_id = ${id}`;
  }
  await tx`update actors set name = ${pseudonym} where org_id = ${organisationId} and actor_id = ${id}`;
  await tx`delete from notices where org_id = ${organisationId} and user_id = ${id}`;
  await tx`delete from notices_told where org_id = ${organisationId} and user_id = ${id}`;
  const browsers =
    await tx`delete from push_subscriptions where org_id = ${organisationId} and user_id = ${id}`;
  await tx`delete from notification_ways where org_id = ${organisationId} and user_id = ${id}`;
  const known = [...(member === undefined ? [] : [member]), ...actor, ...invited];
  return {
    names: known.map(({ name }) => name).filter((name) => name !== pseudonym),
    addresses: [...(member === undefined ? [] : [member]), ...invited].map((one) => one.email),
    browsers: browsers.count,
  };
};

/** Operations on which they are named: devices show the name that they were told last. */
const operationsNaming = async (
  tx: postgres.TransactionSql,
  organisationId: string,
  id: string,
): Promise<readonly string[]> => {
  const rows = await tx<{ id: string }[]>`
    select id::text as id from operations where org_id = ${organisationId}
      and (${id} in (proposed_by, ended_by, taken_by) or settlement::text like ${`%${id}%`}
        or resolution::text like ${`%${id}%`})
    union select operation_id::text from approvals where org_id = ${organisationId} and actor_id = ${id}`;
  return rows.map((row) => row.id);
};

/**
 * Takes a person out of the database: name and address become a pseudonym wherever they stand or were typed, and what
 * they sign in with is gone. Their ID stays, in the audit and beside what they decided: it leads to no name any more.
 * @throws ErasureRefusal when there is no such person, or they still belong to an organisation
 */
export const erasePerson = (url: string, asked: ErasePerson): Promise<ErasedPerson> =>
  inOneErasure(url, asked.carryOut, async (tx) => {
    const found = await findPerson(tx, asked.person);
    const pseudonym = pseudonymOf('person', found.id);
    const organisations: { id: string; texts: ErasedTexts }[] = [];
    let browsers = 0;
    for (const organisationId of await organisationIds(tx)) {
      const named = await eraseMembership(tx, organisationId, found, pseudonym);
      browsers += named.browsers;
      const erasure: Erasure = {
        names: [found.name, ...named.names, ...asked.also].filter((name) => name !== pseudonym),
        addresses: [found.email, ...named.addresses].filter(
          (address) => !address.endsWith('@erased.invalid'),
        ),
        pseudonym,
      };
      // In organisations they never belonged to, somebody of the same name is somebody else: there only the address goes.
      const isTheirs = named.names.length > 0;
      const texts = await eraseWords(tx, organisationId, isTheirs ? erasure : { ...erasure, names: [] });
      await tellAgain(tx, organisationId, 'operation', await operationsNaming(tx, organisationId, found.id));
      if (isTheirs) organisations.push({ id: organisationId, texts });
    }
    const signIn = await eraseSignIn(tx, found, pseudonym);
    await tx`set local role holdfast_server`;
    for (const { id } of organisations) {
      await tx`select set_config('holdfast.organisation_id', ${id}, true)`;
      await appendOrganisationAudit(auditingOver(tx, id), {
        type: 'person-erased',
        by: 'command-line',
        subject: `person ${found.id}`,
      });
    }
    return { id: found.id, pseudonym, ...signIn, browsers, organisations };
  });
