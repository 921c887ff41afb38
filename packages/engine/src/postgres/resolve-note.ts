import type { Principal } from '../engine-interface.ts';
import { digestOfCommand } from '../intake/command-digest.ts';
import type { ResolveCommand } from '../intake/judge-resolve.ts';
import type { OrganisationTransaction } from './connection.ts';

/** Keeps what an operator wrote with a settlement that took effect, by the command that did it. */
export const keepResolveNote = async (
  tx: OrganisationTransaction,
  who: Principal,
  command: ResolveCommand,
): Promise<void> => {
  await tx.ask(
    // A client that gave another act the same ID has written of that act: what stands is never changed.
    `insert into case_entries (org_id, command_id, operation_id, act, at, actor_id, digest, note)
      values ($1, $2, $3, 'resolve', $4::timestamptz, $5, $6, $7) on conflict do nothing`,
    [
      ...[tx.organisationId, command.commandId, command.operationId, tx.now.toISOString(), who.actor.id],
      ...[digestOfCommand(command), command.note],
    ],
  );
};

/** What was written with each settlement, by the ID of its command. */
export const readResolveNotes = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<ReadonlyMap<string, string>> => {
  const rows = await tx.ask<{ command_id: string; note: string }>(
    `select command_id, note from case_entries
      where org_id = $1 and operation_id = $2 and act = 'resolve'`,
    [tx.organisationId, operationId],
  );
  return new Map(rows.map(({ command_id: commandId, note }) => [commandId, note]));
};
