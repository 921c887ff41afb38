import {
  anyAttemptAmbiguous,
  next,
  settle,
  settlementEventType,
  type AttemptFinding,
  type AttentionReason,
  type Observation,
  type OperationEventType,
  type ProviderRecord,
} from '@holdfast/operation';
import type { Said, SmallAnswer, SmallRefund, SmallWorld } from './small-world.ts';

const subject = {
  organisationId: 'org',
  operationId: 'operation',
  amount: { minor: 100, currency: 'EUR' },
  paymentReference: 'payment',
} as const;
const terms = { finalAbsenceProves: 'a-person-decides' } as const;
const at = '2026-01-01T00:00:00.000Z';

export const recordOf = ({ status }: Pick<SmallRefund, 'status'>): ProviderRecord => ({
  ...subject,
  ...{ reference: 're_1', status, statusText: status, failureReason: null, createdAtMs: 0 },
});

const attemptsOf = ({ requests }: SmallWorld) =>
  requests.map(({ ended }, index) => ({ number: index + 1, ended }));

const observationsOf = ({ seen }: SmallWorld): readonly Observation[] =>
  seen.map((said, index) => ({ ...said, id: String(index), atMs: index }));

/** Lets the shipped table decide about one event. What it ignores or refuses changes nothing. */
export const happens = (
  world: SmallWorld,
  type: OperationEventType,
  raises: readonly AttentionReason[] = [],
): { readonly world: SmallWorld; readonly moved: boolean } => {
  const responses = observationsOf(world).filter(({ source }) => source === 'response');
  const answer = next(
    {
      state: world.state,
      attention: world.attention.map((reason) => ({ reason, since: at })),
      anyAttemptAmbiguous: anyAttemptAmbiguous(attemptsOf(world), responses),
    },
    { type, at, raises },
  );
  if (answer.answer !== 'moved') return { world, moved: false };
  const attention = answer.attention.map(({ reason }) => reason).toSorted();
  return { world: { ...world, state: answer.to, attention }, moved: true };
};

/** Brings the operation to what all its evidence says, by the shipped settlement. */
export const settled = (world: SmallWorld): SmallWorld => {
  const settlement = settle(subject, attemptsOf(world), observationsOf(world), terms);
  const type = settlementEventType(settlement);
  return type === undefined ? world : happens(world, type, settlement.attention).world;
};

const same = (one: Said, other: Said): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The same said twice in a row is once: it can change nothing that the first did not. */
export const hears = (world: SmallWorld, said: Said): SmallWorld => {
  const last = world.seen.at(-1);
  const known = last !== undefined && same(last, said);
  return settled(known ? world : { ...world, seen: [...world.seen, said] });
};

export const findingOf = (answer: SmallAnswer, world: SmallWorld): AttemptFinding => {
  switch (answer) {
    case 'accepted':
      return { kind: 'accepted', record: recordOf(world.own[0] ?? { status: 'succeeded' }) };
    case 'refused':
      return { kind: 'rejected', decline: 'not-enough-balance', code: null };
    case 'already-refunded':
      return { kind: 'rejected', decline: 'already-refunded', code: null };
    case 'broken':
      return { kind: 'unknown', because: 'server error' };
  }
};

/** What asking about the payment shows; `lags`: what was just made is not listed yet. */
export const look = (world: SmallWorld, lags: boolean): Said => {
  const [own] = world.own;
  if (own !== undefined && !lags)
    return { source: 'look-up', finding: { kind: 'found', record: recordOf(own) } };
  if (world.byHand) {
    const refunds = [{ reference: 're_hand', amount: subject.amount, atMs: 0 }];
    return { source: 'look-up', finding: { kind: 'exhausted-elsewhere', refunds } };
  }
  return { source: 'look-up', finding: { kind: 'absent-yet' } };
};
