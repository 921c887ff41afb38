import type { DeviceItem, Draft } from '../outbox-interface.ts';
import { deviceItems } from './device-item.ts';
import type { RefundSnapshot } from '../queue/refund-rows.ts';

/**
 * What the person who is signed in here may see of this device. Others share it: of theirs only a count is ever
 * shown (`StatusSummary.otherSubjects`), on no screen, list, search or record a name, an amount or an order.
 */
export const ownItems = (snapshot: RefundSnapshot, nowMs: number): readonly DeviceItem[] =>
  // Planned with everybody's items, since what supersedes what does not depend on who looks.
  deviceItems(snapshot, nowMs).filter(({ subject }) => isOwn(snapshot, subject));

export const ownDrafts = (snapshot: RefundSnapshot): readonly Draft[] =>
  snapshot.drafts.filter(({ subject }) => isOwn(snapshot, subject));

const isOwn = ({ session }: RefundSnapshot, subject: string): boolean =>
  session.subject !== null && subject === session.subject;
