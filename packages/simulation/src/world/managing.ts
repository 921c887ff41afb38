import type { Operation } from '@holdfast/operation';
import { longestLateMs } from '../provider/provider-client.ts';
import type { Chance } from './chance.ts';
import { organisationId } from './database.ts';
import type { History } from './history.ts';
import { principalOf } from './server-door.ts';

const [eve, eli] = [
  { id: 'eve', role: 'admin' },
  { id: 'eli', role: 'admin' },
] as const;
const operators = [
  { id: 'olga', role: 'operator' },
  { id: 'otto', role: 'operator' },
] as const;

/** What people do at a desk they do against a server that may die under it: then it is not done, and somebody tries again. */
const atTheDesk = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
};

/** Longer than a server stands still: one that has died by then answers nobody. */
const givesUpAfterMs = 60_000;

/**
 * As the steps after a restore say: a request that was on its way then may still arrive, and is to be seen by whoever
 * looks before anything is submitted.
 */
const waitAfterPutBackMs = longestLateMs + 5_000;

const maySomethingBeOnItsWay = ({ putBackAtMs, scheduler }: History): boolean =>
  putBackAtMs !== null && scheduler.nowMs() < putBackAtMs + waitAfterPutBackMs;

/** Whoever waits for an answer does nothing else meanwhile. */
const oneAtATime = (
  { scheduler }: History,
  act: (chance: Chance) => Promise<void>,
): ((chance: Chance) => Promise<void>) => {
  let isBusy = false;
  return async (chance) => {
    if (isBusy) return;
    isBusy = true;
    await Promise.race([act(chance), scheduler.pause(givesUpAfterMs, null)]);
    isBusy = false;
  };
};

const holdNowAndThen = (history: History): void => {
  let isOn = false;
  let asked = 0;
  /** The servers of those that were given up, and may still be carried out. */
  const unanswered = new Map<number, History['server']['mortal']>();
  const switchIt = async (chance: Chance): Promise<void> => {
    if (history.healed || (isOn && (chance.happens(0.5) || maySomethingBeOnItsWay(history)))) return;
    isOn = !isOn;
    const [wanted, turn] = [isOn, (asked += 1)];
    if (!wanted) history.witness.sending.holdIs(false);
    const { engine, mortal } = history.server;
    unanswered.set(turn, mortal);
    const isDone = await atTheDesk(() =>
      engine.hold.set(organisationId, wanted, 'eve', 'to look at something'),
    );
    unanswered.delete(turn);
    if (!isDone || !mortal.alive) return;
    history.trace(wanted ? 'submitting is put on hold' : 'the hold is lifted');
    // By then somebody else may have lifted it, or may still do so.
    const isLast = turn === asked && ![...unanswered.values()].some(({ alive }) => alive);
    if (wanted && isLast && !history.healed) history.witness.sending.holdIs(true);
  };
  history.every('holds', 2_000, 14_000, oneAtATime(history, switchIt));
};

const changePolicy = async (history: History, chance: Chance): Promise<void> => {
  const { policy } = history.server.engine;
  const { policy: now } = await policy.show(principalOf(eve));
  const { sending } = history.witness;
  const least = history.has('two-approvals') ? 2 : 1;
  const wanted = chance.pick([
    { ...now, approvalsNeeded: 2 },
    { ...now, approvalsNeeded: least },
    { ...now, allowedReasons: ['returned'] as const },
    { ...now, allowedReasons: null },
  ]);
  if (wanted === undefined) return;
  const { version: basedOn, ...rules } = wanted;
  const asked = { basedOn, policy: rules, note: 'as we agreed' };
  // Looser from when it may have been carried out, tighter only from when that was told.
  if (wanted.approvalsNeeded < now.approvalsNeeded) sending.policyAsksFor(wanted.approvalsNeeded);
  const answer = await policy.change(principalOf(eve), asked);
  if (!answer.ok) return;
  const waiting = answer.desk.waiting?.id;
  if (waiting !== undefined) await policy.approve(principalOf(eli), waiting);
  const { policy: after } = await policy.show(principalOf(eve));
  if (!history.server.mortal.alive) return;
  sending.policyAsksFor(after.approvalsNeeded);
  history.trace(
    `the policy asks for ${String(after.approvalsNeeded)} and allows ${after.allowedReasons?.join(', ') ?? 'every reason'}`,
  );
};

/** The database is put back to an earlier time, and everything starts over on it. */
const restore = async (history: History, putBack: () => void, isRecognised: boolean): Promise<void> => {
  history.trace(`the database is put back${isRecognised ? '' : ', and nobody notices'}`);
  history.killAll();
  putBack();
  history.putBackAtMs = history.scheduler.nowMs();
  history.witness.putBack(isRecognised);
  if (isRecognised) {
    await history.database.administer('select begin_new_generation($1, $2)', [
      `after ${String(history.scheduler.nowMs())}`,
      'The database was restored from another time or place.',
    ]);
  } else history.unnoticed = true;
  history.revive();
};

/**
 * A provider without keys would do twice what was on its way when a copy is put back and nobody notices: nothing of the
 * first request is on record, and nothing that the second one carries says that they are the same. That is not promised.
 */
const hasToBeNoticed = ({ plan, witness }: History): boolean =>
  plan.keyWindowMs === 0 && witness.onTheirWay.length > 0;

const restoreOnce = (history: History): void => {
  const chance = history.chance.fork('restores');
  const backupMs = chance.between(2_000, Math.floor(history.plan.faultsForMs * 0.6));
  const restoreMs = backupMs + chance.between(3_000, 40_000);
  history.scheduler.later(backupMs, null, () => {
    const putBack = history.database.backup?.();
    if (putBack === undefined) return;
    history.trace('a backup is made');
    history.scheduler.later(restoreMs - backupMs, null, () => {
      const isNoticed = chance.happens(0.7) || hasToBeNoticed(history);
      if (!history.healed) history.start(() => restore(history, putBack, isNoticed));
    });
  });
};

/** What an operator sees in the provider's own dashboard, and says. Two of them where one does not suffice. */
const resolve = async (history: History, operation: Operation, chance: Chance): Promise<void> => {
  const found = history.provider.ledger.refunds.find(
    (refund) => refund.operationId === operation.id && refund.listedFromMs <= history.scheduler.nowMs(),
  );
  if (found !== undefined && found.status !== 'succeeded') return;
  const outcome = found === undefined ? 'failed' : 'confirmed';
  if (outcome === 'failed') history.witness.settledByPeople.add(operation.id);
  for (const operator of operators) {
    const { engine } = history.server;
    const now = await engine.getOperation(principalOf(operator), operation.id);
    if (now === null || !now.needsPerson) return;
    const [result] = await engine.apply(principalOf(operator), [
      {
        ok: true,
        command: {
          type: 'resolve',
          commandId: history.mintId(chance),
          operationId: operation.id,
          version: now.version,
          outcome,
          note: 'looked at the dashboard',
          ...(found === undefined ? {} : { providerReference: found.reference }),
        },
      },
    ]);
    const said = result?.problem?.detail ?? result?.operation?.state ?? '';
    history.trace(`${operator.id} settles ${operation.id.slice(-4)} as ${outcome}: ${said}`);
  }
};

const settleSome = async (history: History, chance: Chance): Promise<void> => {
  for (const row of await history.database.rowsOf('operations')) {
    if (!Array.isArray(row['attention']) || row['attention'].length === 0 || !chance.happens(0.4)) continue;
    await atTheDesk(async () => {
      const operation = await history.toldNow(String(row['id']));
      if (operation?.needsPerson === true) await resolve(history, operation, chance);
    });
  }
};

/** Before anybody does anything: two have to approve each refund from now on. */
export const askForTwoApprovals = async (history: History): Promise<void> => {
  const { policy } = history.server.engine;
  const { policy: now } = await policy.show(principalOf(eve));
  const { version: basedOn, ...rules } = { ...now, approvalsNeeded: 2 };
  const answer = await policy.change(principalOf(eve), { basedOn, policy: rules, note: 'as we agreed' });
  const waiting = answer.ok ? answer.desk.waiting?.id : undefined;
  if (waiting !== undefined) await policy.approve(principalOf(eli), waiting);
  history.witness.sending.beginsWith(2);
};

/** What those who run it do: holds, the policy, restores, and what stands before a person. */
export const letManagersAct = (history: History): void => {
  if (history.has('holds')) holdNowAndThen(history);
  if (history.has('policy')) {
    const change = async (chance: Chance): Promise<void> => {
      if (!history.healed) await atTheDesk(() => changePolicy(history, chance));
    };
    history.every('policy', 4_000, 16_000, oneAtATime(history, change));
  }
  if (history.has('restore')) restoreOnce(history);
  if (history.has('operators'))
    history.every('operators', 3_000, 12_000, (chance) => settleSome(history, chance));
  // Whoever put it on hold, somebody has looked by the time that all is well.
  history.every('the last hold', 2_000, 4_000, async () => {
    if (!history.healed || maySomethingBeOnItsWay(history)) return;
    const [organisation] = await history.database.rowsOf('organisations');
    if (organisation?.['hold_on'] !== true) return;
    history.witness.sending.holdIs(false);
    await atTheDesk(() => history.server.engine.hold.set(organisationId, false, 'eve', null));
    history.trace('the hold is lifted');
  });
};
