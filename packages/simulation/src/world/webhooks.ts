import type { VerifiedEvent } from '@holdfast/providers';
import type { ProviderEvent } from '../provider/pretend-provider.ts';
import type { History } from './history.ts';

const usualDelayMs = 300;
const answerWithinMs = 3_000;
const againAfterMs = 5_000;

/** What an event says is what was so when it was made, however late it arrives. */
const eventOf = (history: History, changed: ProviderEvent, eventId: string): VerifiedEvent => {
  const common = { eventId, createdAtMs: history.scheduler.nowMs(), liveMode: false, accountId: null };
  if ('dispute' in changed) {
    const { reference, paymentReference, minor, currency, open, atMs } = changed.dispute;
    return {
      ...common,
      ...{
        type: 'dispute',
        objectReference: reference,
        paymentReference,
        idempotencyKey: null,
        record: null,
      },
      ...{ metadataOrganisationId: null, metadataOperationId: null },
      dispute: {
        ...{
          reference,
          paymentReference,
          open,
          createdAtMs: atMs,
          statusText: open ? 'needs_response' : 'won',
        },
        amount: { minor, currency },
      },
    };
  }
  const { refund } = changed;
  return {
    ...common,
    type: refund.status === 'failed' ? 'refund.failed' : 'refund.updated',
    objectReference: refund.reference,
    paymentReference: refund.paymentReference,
    idempotencyKey: refund.idempotencyKey,
    metadataOrganisationId: refund.organisationId,
    metadataOperationId: refund.operationId,
    record: history.provider.recordOf(refund),
    dispute: null,
  };
};

/** The provider tells of each change until it is acknowledged: late, doubled, out of order where the plan says so. */
export const createWebhooks = (history: History): ((changed: ProviderEvent) => void) => {
  const chance = history.chance.fork('webhooks');
  let events = 0;

  const deliver = async (changed: ProviderEvent, event: VerifiedEvent): Promise<void> => {
    const { engine, mortal } = history.server;
    const isBad = history.has('webhooks') && !history.healed;
    const lost = isBad && chance.happens(0.3);
    const silence = history.scheduler.pause(answerWithinMs, null).then(() => null);
    const comesThrough = !lost && mortal.alive;
    if (comesThrough && 'refund' in changed) {
      changed.refund.toldFromMs = Math.min(changed.refund.toldFromMs, history.scheduler.nowMs());
    }
    const body = new TextEncoder().encode(JSON.stringify(event));
    const answered = !comesThrough ? silence : engine.receiveWebhook(body, 'whsec').catch(() => null);
    const answer = await Promise.race([answered, silence]);
    const isHeard = answer !== null && !(isBad && chance.happens(0.2));
    if (isHeard) history.untold -= 1;
    if (isHeard && answer.kind === 'refused') throw new Error(`an event was refused: ${answer.because}`);
    if (!isHeard)
      history.scheduler.later(againAfterMs, null, () => history.start(() => deliver(changed, event)));
  };

  const send = (changed: ProviderEvent): void => {
    events += 1;
    history.untold += 1;
    const event = eventOf(history, changed, `evt_${String(events)}`);
    const isBad = history.has('webhooks') && !history.healed;
    // Where its records lag, so does what it tells of them.
    const lagMs = 'refund' in changed ? changed.refund.listedFromMs - history.scheduler.nowMs() : 0;
    const isStale = history.has('stale-records') && !history.healed;
    const delayMs =
      (isStale ? Math.max(0, lagMs) : 0) +
      (isBad && chance.happens(0.5) ? chance.below(30_000) : chance.below(usualDelayMs));
    history.scheduler.later(delayMs, null, () => history.start(() => deliver(changed, event)));
  };

  return (changed) => {
    if (history.has('no-webhooks')) return;
    send(changed);
    // Two endpoints for one account: the same fact under another event's ID.
    if (history.has('webhooks') && chance.happens(0.2)) send(changed);
  };
};
