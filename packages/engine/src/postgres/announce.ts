import { escalationAnnouncement, stateAnnouncement } from '../announce/announcement.ts';
import type { OrganisationTransaction } from './connection.ts';
import type { OperationRow } from './schema.ts';

/** Writes down, in the transaction of the change, what the world outside is told of it. */
export const announce = (tx: OrganisationTransaction, before: OperationRow, after: OperationRow): void => {
  const { announcements } = tx.unsent;
  if (after.state !== before.state) announcements.push(stateAnnouncement(after, before.state, tx.now));
  const isEscalated = after.escalatedAt !== null && after.escalatedAt !== before.escalatedAt;
  if (isEscalated) announcements.push(escalationAnnouncement(after, tx.now));
};
