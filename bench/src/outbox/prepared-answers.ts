/** Well-formed answers of a server that has nothing to decide: texts alone, as Holdfast writes them. Pure. */

const at = '2026-11-29T10:00:00.000Z';

type Told = { readonly id: string; readonly orderId: string; readonly version: number };

const operationOf = ({ id, orderId, version }: Told): Record<string, unknown> => ({
  ...{ id, kind: 'refund', state: version === 1 ? 'proposed' : 'approved', version, needsPerson: false },
  ...{ attention: [], waitingFor: null, amount: { minor: 4_999, currency: 'EUR' }, orderId },
  ...{ paymentReference: `pi_${orderId}`, ticketId: null, customerId: 'customer-1', lines: [] },
  ...{ returnId: `return-${orderId}`, reason: 'returned', note: null, replaces: null },
  ...{ fingerprint: 'a'.repeat(64), proposedBy: { id: 'bench', name: 'Bench', assistant: false } },
  ...{ approvals: [], provider: { name: 'stripe', reference: null, status: null }, attemptCount: 0 },
  ...{ unknownSince: null, lastCheckAt: null, nextCheckAt: null, replayDeadline: null, undoUntil: null },
  ...{ resolution: null, sentence: 'Waiting for approval.' },
  ...{
    tellTheCustomer: 'Your refund has been requested and is being reviewed.',
    createdAt: at,
    updatedAt: at,
  },
});

type Asked = { readonly commandId: string; readonly operationId: string; readonly orderId?: string };

/** To a body of `/v1/commands`: each applied. */
export const resultsFor = (body: string): string => {
  const { commands } = JSON.parse(body) as { commands: readonly Asked[] };
  const results = commands.map(({ commandId, operationId, orderId = '' }) => ({
    ...{ commandId, status: 'applied' },
    operation: operationOf({ id: operationId, orderId, version: 1 }),
  }));
  return JSON.stringify({ results });
};

/** To a body of `/v1/operations/lookup`: none is known, so that everything is sent. */
export const lookedUpFor = (body: string): string => {
  const { ids } = JSON.parse(body) as { ids: readonly string[] };
  return JSON.stringify({ operations: Object.fromEntries(ids.map((id) => [id, null])) });
};

export const signInNeeded = JSON.stringify({
  ...{ type: 'https://holdfast.invalid/problems/unauthenticated', title: 'Sign in', status: 401 },
  ...{ detail: 'The session has ended.', final: false },
});

const operationIdAt = (place: number): string =>
  `019acf00-0000-7000-8000-${place.toString(16).padStart(12, '0')}`;

export const lastIdOf = (count: number): string => operationIdAt(count - 1);

const event = (name: string, data: unknown, id: string | null): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n${id === null ? '' : `id: ${id}\n`}\n`;

/** What the feed says to a device that knows nothing: the present state, and the place from which to go on. */
export const feedFromStart = (count: number): string =>
  Array.from({ length: count }, (_, place) =>
    event(
      'operation',
      operationOf({ id: operationIdAt(place), orderId: `o-${String(place)}`, version: 1 }),
      null,
    ),
  ).join('') + event('live', { generation: 'g-1' }, 'c-start');

/** What it says from there on: each of the operations has changed. */
export const feedOfChanges = (count: number): string =>
  Array.from({ length: count }, (_, place) =>
    event(
      'operation',
      operationOf({ id: operationIdAt(place), orderId: `o-${String(place)}`, version: 2 }),
      `c-${String(place)}`,
    ),
  ).join('');
