import type { Ticket } from '@holdfast/operation';
import type { OrganisationTransaction } from './connection.ts';
import { touchTickets } from './feed-writer.ts';
import { readOperations, viewOperationsAlone, type ProviderNames } from './operation-reader.ts';
import { codecOf } from './row-codec.ts';
import { ticketNotes, type OperationRow, type TicketNoteRow } from './schema.ts';

/** Writes into the ticket, in the transaction of the end itself, how its operation ended. */
export const noteOnTicket = (tx: OrganisationTransaction, row: OperationRow): void => {
  if (row.ticketId === null) return;
  const { state, settlement, providerReference, bookedMinor, endedBy, endReason, approvedAt } = row;
  tx.unsent.ticketNotes.push({
    organisationId: tx.organisationId,
    ticketId: row.ticketId,
    operationId: row.id,
    version: row.version,
    at: tx.now,
    facts: {
      ...{ state, settlement, providerReference, bookedMinor, endedBy, endReason },
      approvedAt: approvedAt?.toISOString() ?? null,
    },
  });
  touchTickets(tx, [row.ticketId]);
};

const noteCodec = codecOf(ticketNotes);

/** The operation as the note knew it: what came later is another note's. */
const asItWas = (row: OperationRow, { version, facts }: TicketNoteRow): OperationRow => ({
  ...row,
  ...facts,
  version,
  approvedAt: facts.approvedAt === null ? null : new Date(facts.approvedAt),
  ...{ attention: [], takenBy: null, waitingFor: null },
});

export type TicketNote = { readonly ticketId: string; readonly outcome: Ticket['outcomes'][number] };

/** The notes of tickets, oldest first. The names in them are those that people have now. */
export const readNotes = async (
  tx: OrganisationTransaction,
  ticketIds: readonly string[],
  providerName: ProviderNames,
): Promise<readonly TicketNote[]> => {
  const notes = await tx.rows(
    noteCodec,
    'where t.org_id = $1 and t.ticket_id = any($2::text[]) order by t.at, t.operation_id, t.version',
    [tx.organisationId, ticketIds],
  );
  const ids = [...new Set(notes.map(({ operationId }) => operationId))];
  const operations = new Map((await readOperations(tx, ids)).map((row) => [row.id, row]));
  const known = notes.flatMap((note) => {
    const row = operations.get(note.operationId);
    return row === undefined ? [] : [{ note, row: asItWas(row, note) }];
  });
  const views = await viewOperationsAlone(
    tx,
    known.map(({ row }) => row),
    providerName,
  );
  return known.map(({ note }, index) => ({
    ticketId: note.ticketId,
    outcome: {
      at: note.at.toISOString(),
      operationId: note.operationId,
      sentence: views[index]?.sentence ?? '',
      state: note.facts.state,
      version: note.version,
    },
  }));
};
