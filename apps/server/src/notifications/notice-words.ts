import type { ClaimedNotice } from '@holdfast/engine/postgres';
import type { Letter } from '../mail/mail.ts';

/*
 * What a lock screen may show to whoever looks at it: how many, and of which organisation. No customer, no amount.
 */

const refunds = (count: number): string => (count === 1 ? '1 refund' : `${String(count)} refunds`);

const sentenceOf = ({ kind, count }: Pick<ClaimedNotice, 'kind' | 'count'>): string => {
  switch (kind) {
    case 'approvals-wait':
      return `${refunds(count)} ${count === 1 ? 'waits' : 'wait'} for your approval.`;
    case 'nobody-can-approve':
      return `${refunds(count)} ${count === 1 ? 'waits' : 'wait'}, and nobody here can approve ${count === 1 ? 'it' : 'them'}.`;
    case 'case-untaken':
      return `${refunds(count)} ${count === 1 ? 'needs' : 'need'} a person and ${count === 1 ? 'has' : 'have'} waited too long for one.`;
    case 'refund-came-back':
      return count === 1
        ? '1 refund came back from the bank. The customer is still to be paid another way.'
        : `${refunds(count)} came back from the bank. Their customers are still to be paid another way.`;
    case 'endpoint-failing':
      return count === 1
        ? '1 webhook address has taken nothing for a day.'
        : `${String(count)} webhook addresses have taken nothing for a day.`;
    case 'proposals-in-a-burst':
      return count === 1
        ? 'One person, key or assistant proposed 30 refunds or more within ten minutes.'
        : `${String(count)} people, keys or assistants proposed 30 refunds or more each within ten minutes.`;
    case 'test':
      return 'Notices arrive here. This one was only to try it.';
  }
};

type Told = Pick<ClaimedNotice, 'kind' | 'count' | 'organisationName'>;

/** Where what it tells of is seen to. The service worker knows these and leads nowhere else. */
export const placeOf = ({
  kind,
}: Pick<ClaimedNotice, 'kind'>): '/approvals' | '/uncertain' | '/came-back' | '/settings/webhooks' => {
  switch (kind) {
    case 'case-untaken':
      return '/uncertain';
    case 'refund-came-back':
      return '/came-back';
    case 'endpoint-failing':
      return '/settings/webhooks';
    case 'approvals-wait':
    case 'nobody-can-approve':
    case 'proposals-in-a-burst':
    case 'test':
      return '/approvals';
  }
};

/** As the service worker reads it. Where a press leads is the app's own matter, never a notice's. */
export const pushPayload = (notice: Told, tag: string): string =>
  JSON.stringify({ title: notice.organisationName, body: sentenceOf(notice), tag, place: placeOf(notice) });

export const noticeLetter = (
  notice: Told & Pick<ClaimedNotice, 'id'>,
  to: string,
  publicOrigin: string,
): Letter => ({
  to,
  subject: `Holdfast: ${sentenceOf(notice).replace(/\.$/, '')}`,
  text: [
    `${notice.organisationName}: ${sentenceOf(notice)}`,
    `${publicOrigin}${placeOf(notice)}`,
    `You get at most one such letter in a quarter of an hour. Choose otherwise at ${publicOrigin}/you/notifications`,
    '',
  ].join('\n\n'),
  // The same letter sent twice, because a process died in between, is one letter in most mailboxes.
  messageId: `<${notice.id}@notices.holdfast.invalid>`,
});
