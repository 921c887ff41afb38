import type { LiveQuery, LiveRead, LiveValue, Outbox } from '@holdfast/outbox';

export const subject = 'bench';

const eur = (minor: number) => ({ minor, currency: 'EUR' });

export const orderSeen = (id: string) => ({
  id,
  version: 1,
  lines: [{ sku: 'headphones', title: 'Headphones', quantity: 1, amount: eur(4_999) }],
  refundable: eur(10_000),
});

/** As a form fills it in. */
export const proposalFor = (orderId: string) => ({
  kind: 'refund' as const,
  orderId,
  amount: eur(4_999),
  reason: 'returned' as const,
  returnId: `return-${orderId}`,
  note: 'The left side hisses; the parcel arrived with its seal unbroken and was checked at the desk.',
});

/** Starts the intent as a screen does, so that a tap on "propose" is all that is left. @returns the operation's ID */
export const beginFor = async (outbox: Outbox, orderId: string): Promise<string> => {
  const begun = await outbox.begin(orderSeen(orderId));
  if (begun.kind !== 'draft') throw new Error(`no draft: ${JSON.stringify(begun)}`);
  return begun.draft.operationId;
};

export const tap = async (outbox: Outbox, operationId: string, orderId: string): Promise<void> => {
  const queued = await outbox.queue(operationId, proposalFor(orderId));
  if (!queued.saved) throw new Error(`not saved: ${JSON.stringify(queued)}`);
};

/** Resolves at the first answer that is so. */
export const untilRead = <Query extends LiveQuery>(
  outbox: Outbox,
  query: Query,
  isSo: (value: LiveValue<Query>) => boolean,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const unsubscribe = outbox.watch(query, (read: LiveRead<LiveValue<Query>>) => {
      if (read.state === 'failed') reject(new Error(read.because));
      if (read.state !== 'ready' || !isSo(read.value)) return;
      queueMicrotask(() => unsubscribe());
      resolve();
    });
  });

export const dropProduct = async (outbox: Outbox, name: string): Promise<void> => {
  await outbox.stop();
  for (const { name: database = '' } of await indexedDB.databases())
    if (database.startsWith(`${name}-`)) indexedDB.deleteDatabase(database);
};
