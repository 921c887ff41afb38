import { moneyHeld } from '@holdfast/operation';
import { hears, look } from './small-decisions.ts';
import { withRequest, type Said, type SmallWorld } from './small-world.ts';

/** A request that is on its way, or may still leave, and that the provider would carry out. */
const mayStillHappen = (world: SmallWorld): boolean =>
  !world.byHand &&
  (world.kept === null || world.keyForgotten) &&
  world.requests.some(({ phase }) => phase === 'on-the-wire');

const isOver = ({ state }: SmallWorld): boolean =>
  ['denied', 'cancelled', 'expired', 'proposed'].includes(state);

/** What must be so wherever the world is, judged by what the provider holds. `null`: all of it is. */
const brokenNow = (world: SmallWorld): string | null => {
  const { state, attention, own, settledByPeople } = world;
  const [refund] = own;
  const stands = refund !== undefined && refund.status !== 'failed';
  if (own.length > 1) return 'at most one action';
  if (state === 'confirmed' && refund?.hasSucceeded !== true) return 'no “confirmed” without an effect';
  if (state === 'pending' && refund === undefined) return 'no “pending” without an effect';
  if (state === 'reversed' && refund?.hasSucceeded !== true) return 'no “reversed” of what never succeeded';
  if (state === 'failed' && !settledByPeople && (stands || mayStillHappen(world)))
    return 'no “failed” with an effect';
  if ((state === 'approved' || isOver(world)) && attention.length === 0 && (stands || mayStillHappen(world)))
    return 'nothing goes back or ends with an effect';
  if (
    moneyHeld[state] === 'nothing' &&
    stands &&
    attention.length === 0 &&
    !settledByPeople &&
    !isOver(world)
  )
    return 'money is held for as long as it may have moved';
  return null;
};

/** Everything arrives, every answer is lost, and the provider is asked once more and shows what is so. */
const healed = (world: SmallWorld): SmallWorld => {
  let after = world;
  world.requests.forEach((request, index) => {
    if (!request.isAwaited) return;
    if (request.phase === 'held') after = withRequest(after, index, { isAwaited: false });
    else {
      const said: Said = {
        source: 'response',
        attemptNumber: index + 1,
        replayed: false,
        finding: { kind: 'unknown', because: 'deadline' },
      };
      after = hears(withRequest(after, index, { ended: true, isAwaited: false }), said);
    }
  });
  return hears(after, look(after, false));
};

/** What must be so once the provider was asked: the record says what is there, or a person is asked. */
const brokenInTheEnd = (world: SmallWorld): string | null => {
  if (!['submitting', 'outcome_unknown', 'pending', 'confirmed', 'failed'].includes(world.state)) return null;
  const { state, attention, own } = healed(world);
  const [refund] = own;
  if (refund === undefined || attention.length > 0) return null;
  switch (refund.status) {
    case 'succeeded':
      return state === 'confirmed' ? null : 'what is found is confirmed';
    case 'pending':
      return state === 'pending' ? null : 'what is found pending is pending';
    case 'failed':
      return state === 'failed' || state === 'reversed' ? null : 'what is found failed has failed';
  }
};

export const brokenIn = (world: SmallWorld): string | null => brokenNow(world) ?? brokenInTheEnd(world);
