import { judgeBeforeSend } from '@holdfast/engine';
import { findingOf, happens, hears, look, recordOf } from './small-decisions.ts';
import {
  used,
  withRequest,
  type Said,
  type SmallAnswer,
  type SmallRefund,
  type SmallWorld,
} from './small-world.ts';

/** Something that may happen next, and what the world is then. */
export type Move = { readonly name: string; readonly to: SmallWorld };

const isUnderWay = ({ isAwaited }: { readonly isAwaited: boolean }): boolean => isAwaited;
const workers = 2;

const claim = (world: SmallWorld, type: 'claim' | 'resubmit'): readonly Move[] => {
  const busy = world.requests.filter(isUnderWay).length;
  if (busy >= workers || world.left.attempts === 0) return [];
  const firstSend = type === 'claim';
  if (!firstSend && world.windowOver) return [];
  const { world: claimed, moved } = happens(world, type);
  if (!moved || claimed.state !== 'submitting') return [];
  const fence = world.fence + 1;
  const unsent = { phase: 'held', isAwaited: true, ended: false, answer: null, replayed: false } as const;
  const request = { fence, firstSend, ...unsent };
  const to = used({ ...claimed, fence, requests: [...world.requests, request] }, 'attempts');
  return [{ name: type, to }];
};

/** The last check before a claim: what was refunded by hand stops it, where it is seen in time. */
const lastCheck = (world: SmallWorld): readonly Move[] => {
  if (!world.byHand) return [];
  if (world.state === 'approved') return [{ name: 'send-back', to: happens(world, 'send-back').world }];
  if (world.state !== 'outcome_unknown') return [];
  const { world: to, moved } = happens(world, 'need-person', ['conflicting-evidence']);
  return moved ? [{ name: 'stopped before a resubmission', to }] : [];
};

const sendOrStop = (world: SmallWorld, index: number): Move => {
  const request = world.requests[index];
  if (request === undefined) throw new Error('no such request');
  const facts = {
    ...{ nowMs: 0, state: world.state, fence: world.fence, onHold: false },
    // Leases are over long before windows are.
    leaseUntilMs: world.windowOver ? 0 : 10_000,
    replayDeadlineMs: world.windowOver ? 0 : 100_000,
  };
  const verdict = judgeBeforeSend(facts, request, 1_000);
  if (verdict.kind === 'send')
    return { name: 'sends', to: withRequest(world, index, { phase: 'on-the-wire' }) };
  const ended = withRequest(world, index, { phase: 'never-sent', ended: true, isAwaited: false });
  const said: Said = {
    source: 'response',
    attemptNumber: index + 1,
    replayed: false,
    finding: { kind: 'not-sent', because: verdict.because },
  };
  return { name: `stops: ${verdict.because}`, to: hears(ended, said) };
};

const newRefund = (world: SmallWorld, status: 'pending' | 'succeeded'): SmallWorld => {
  const refund: SmallRefund = { status, hasSucceeded: status === 'succeeded' };
  return { ...world, own: [...world.own, refund], untold: [...world.untold, status] };
};

/** A request reaches the provider: what it does is kept under the key. */
const arrivals = (world: SmallWorld, index: number): readonly Move[] => {
  const answered = (to: SmallWorld, answer: SmallAnswer, replayed = false): SmallWorld =>
    withRequest({ ...to, kept: answer }, index, { phase: 'answered', answer, replayed });
  if (world.kept !== null && !world.keyForgotten) {
    return [{ name: 'is answered again', to: answered(world, world.kept, true) }];
  }
  if (world.byHand) return [{ name: 'is refused: refunded', to: answered(world, 'already-refunded') }];
  return [
    { name: 'is carried out', to: answered(newRefund(world, 'succeeded'), 'accepted') },
    { name: 'is taken and pending', to: answered(newRefund(world, 'pending'), 'accepted') },
    { name: 'is carried out and answered 500', to: answered(newRefund(world, 'succeeded'), 'broken') },
    { name: 'is answered 500', to: answered(world, 'broken') },
    { name: 'is refused', to: answered(world, 'refused') },
  ];
};

const ended = (world: SmallWorld, index: number, answer: SmallAnswer | null): SmallWorld => {
  const request = world.requests[index];
  const said: Said = {
    source: 'response',
    attemptNumber: index + 1,
    replayed: request?.replayed === true && answer !== null,
    finding: answer === null ? { kind: 'unknown', because: 'deadline' } : findingOf(answer, world),
  };
  return hears(withRequest(world, index, { ended: true, isAwaited: false }), said);
};

const ofRequest = (world: SmallWorld, index: number): readonly Move[] => {
  const request = world.requests[index];
  if (request === undefined) return [];
  const moves: Move[] = [];
  const { phase, isAwaited, answer } = request;
  if (phase === 'held' && isAwaited) moves.push(sendOrStop(world, index));
  if (phase === 'on-the-wire') {
    moves.push(...arrivals(world, index));
  }
  if (phase === 'answered' && isAwaited)
    moves.push({ name: 'its answer is heard', to: ended(world, index, answer) });
  if ((phase === 'on-the-wire' || phase === 'answered') && isAwaited) {
    moves.push({ name: 'its time runs out', to: ended(world, index, null) });
  }
  if (isAwaited && world.left.crashes > 0) {
    moves.push({
      name: 'its worker dies',
      to: used(withRequest(world, index, { isAwaited: false }), 'crashes'),
    });
  }
  return moves.map(({ name, to }) => ({ name: `request ${String(index + 1)} ${name}`, to }));
};

const changeOwn = (world: SmallWorld, refund: SmallRefund): SmallWorld => ({
  ...world,
  own: [refund, ...world.own.slice(1)],
  untold: [...world.untold, refund.status],
});

const atTheProvider = (world: SmallWorld): readonly Move[] => {
  const moves: Move[] = [];
  const [own] = world.own;
  const stands = own !== undefined && own.status !== 'failed';
  if (own?.status === 'pending') {
    moves.push({
      name: 'pending succeeds',
      to: changeOwn(world, { status: 'succeeded', hasSucceeded: true }),
    });
    moves.push({ name: 'pending fails', to: changeOwn(world, { status: 'failed', hasSucceeded: false }) });
  }
  if (own?.status === 'succeeded' && world.left.lateFailures > 0) {
    const to = used(changeOwn(world, { status: 'failed', hasSucceeded: true }), 'lateFailures');
    moves.push({ name: 'it fails after all', to });
  }
  if (!stands && !world.byHand && world.left.byHand > 0) {
    moves.push({ name: 'somebody refunds by hand', to: used({ ...world, byHand: true }, 'byHand') });
  }
  if (!world.windowOver && world.requests.length > 0)
    moves.push({ name: 'the window ends', to: { ...world, windowOver: true } });
  // The margin: what left within the window has arrived before the key is forgotten.
  const isQuiet = world.requests.every(({ phase }) => phase !== 'on-the-wire');
  if (world.windowOver && !world.keyForgotten && isQuiet) {
    moves.push({ name: 'the key is forgotten', to: { ...world, keyForgotten: true } });
  }
  return moves;
};

const told = (world: SmallWorld): readonly Move[] => {
  if (world.left.events === 0) return [];
  return [...new Set(world.untold)].map((status) => {
    const finding = { kind: 'found', record: recordOf({ status }) } as const;
    const said: Said = { source: 'webhook', eventId: `evt_${status}`, finding };
    return { name: `an event says ${status}`, to: used(hears(world, said), 'events') };
  });
};

const ofReconciler = (world: SmallWorld): readonly Move[] => {
  const moves: Move[] = [];
  const looks = ['outcome_unknown', 'pending', 'confirmed', 'failed'].includes(world.state);
  if (world.reading !== null) {
    moves.push({ name: 'a look-up is recorded', to: hears({ ...world, reading: null }, world.reading) });
  } else if (looks && world.left.looks > 0 && world.requests.length > 0) {
    for (const lags of world.own.length > 0 ? [false, true] : [false]) {
      moves.push({
        name: lags ? 'a look-up reads an old list' : 'a look-up reads',
        to: used({ ...world, reading: look(world, lags) }, 'looks'),
      });
    }
  }
  if (world.state === 'submitting') {
    const { world: lost } = happens(world, 'lose-sight');
    moves.push({ name: 'the lease ends', to: lost });
  }
  if (world.state === 'outcome_unknown') {
    const { world: to, moved } = happens(world, 'need-person', ['outcome-unresolved']);
    if (moved) moves.push({ name: 'a person is asked', to });
  }
  return moves;
};

const byPeople = (world: SmallWorld): readonly Move[] => {
  const moves: Move[] = [];
  if (world.state === 'approved') {
    const { world: to, moved } = happens(world, 'cancel');
    if (moved) moves.push({ name: 'it is cancelled', to });
  }
  if (world.left.people > 0 && world.attention.length > 0 && world.own.length === 0) {
    const { world: resolved, moved } = happens(world, 'resolve-failed');
    const word: Said = {
      source: 'operator',
      finding: {
        ...{ kind: 'operator-settled', outcome: 'failed', by: 'olga', secondBy: 'otto' },
        ...{ note: 'looked', record: null },
      },
    };
    const to = { ...resolved, settledByPeople: true, seen: [...resolved.seen, word] };
    if (moved) moves.push({ name: 'two people say it failed', to: used(to, 'people') });
  }
  return moves;
};

/** Everything that may happen next, in whatever order. */
export const movesOf = (world: SmallWorld): readonly Move[] => [
  ...claim(world, 'claim'),
  ...claim(world, 'resubmit'),
  ...lastCheck(world),
  ...world.requests.flatMap((_, index) => ofRequest(world, index)),
  ...atTheProvider(world),
  ...told(world),
  ...ofReconciler(world),
  ...byPeople(world),
];
