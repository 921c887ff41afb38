import type { House } from '../house-rig.ts';
import { eventually } from '../eventually.ts';
import type { State } from './access-matrix.ts';

/** States that an approved operation only comes to at the provider, or by time. */
export const laterStates = [
  'submitting',
  'outcome_unknown',
  'pending',
  'confirmed',
  'failed',
  'reversed',
  'expired',
] as const;
export type LaterState = (typeof laterStates)[number];

export const isLater = (state: State): state is LaterState =>
  (laterStates as readonly string[]).includes(state);

/** Longer than any test. */
const neverMs = 3_600_000;

/** What the provider does with this payment's refund, so that the operation ends up there. */
const faults: Readonly<Record<LaterState, readonly Record<string, unknown>[]>> = {
  submitting: [],
  outcome_unknown: [{ do: 'execute_then_drop' }, { do: 'hide_from_list', ms: neverMs }],
  pending: [{ do: 'pending_then', ms: neverMs }],
  confirmed: [],
  failed: [{ do: 'error_before', status: 400, code: 'charge_disputed', type: 'invalid_request_error' }],
  reversed: [{ do: 'succeeded_then_failed', ms: 1 }],
  expired: [],
};

const fault = async ({ fake }: House, paymentIntent: string, what: Record<string, unknown>) => {
  const answer = await fetch(`${fake.access.apiBase}/fake/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ on: 'refund.create', paymentIntent, ...what }),
  });
  if (!answer.ok) throw new Error(`a fault was answered ${String(answer.status)}`);
};

/** Held by a process that has claimed it and is sending: no other test's worker takes it from there. */
const claimedElsewhere = (house: House, operationId: string) => house.admin`
  update operations set state = 'submitting', fence = fence + 1, attempt_count = 1,
    lease_until = now() + interval '1 hour', wake_at = now() + interval '1 hour' where id = ${operationId}`;

/** Brings an operation, proposed or approved, to a later state, by what the worker does there where it is its to do. */
export const bringTo = async (
  house: House,
  state: LaterState,
  operationId: string,
  payment: string,
  check: () => Promise<unknown>,
): Promise<number> => {
  if (state === 'submitting') await claimedElsewhere(house, operationId);
  if (state === 'expired') {
    await house.admin`update operations set expires_at = now(), wake_at = now() where id = ${operationId}`;
  }
  for (const what of faults[state]) await fault(house, payment, what);
  return eventually(`the operation to be ${state}`, async () => {
    // Whoever asks next need not wait for the two seconds after this asking.
    const [row] = await house.admin<{ state: string; version: number }[]>`
      update operations set check_asked_at = null where id = ${operationId} returning state, version`;
    if (row?.state === state) return row.version;
    await house.opened.made.worker.runOnce();
    // Nobody looks at what is confirmed unless asked: its end was thought to be known.
    if (row?.state === 'confirmed') await check();
    return undefined;
  });
};
