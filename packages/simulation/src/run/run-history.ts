import { behind, checkEnding, unfinished } from '../check/ending.ts';
import { auditFigures } from '../check/figures.ts';
import { letPeopleAct } from '../world/acts.ts';
import type { HistoryDatabase } from '../world/history-database.ts';
import { beginTroubles, heal, letTroublesHappen } from '../world/faults.ts';
import { History } from '../world/history.ts';
import { askForTwoApprovals, letManagersAct } from '../world/managing.ts';
import type { Plan } from '../world/plan.ts';
import { keepWhatIsPutOff } from '../world/put-off.ts';
import { Violation } from '../world/violation.ts';
import { useRandomUuids } from './random-uuids.ts';

export type Outcome = {
  readonly plan: Plan;
  readonly violation: Violation | null;
  readonly log: readonly string[];
  readonly steps: number;
  /** How long the history was by its own clock. */
  readonly lastedMs: number;
  readonly operations: number;
  readonly refunds: number;
  /** How often each kind of change was recorded. */
  readonly reached: ReadonlyMap<string, number>;
};

const changesOf = async (history: History): Promise<ReadonlyMap<string, number>> => {
  const changes = new Map<string, number>();
  for (const row of await history.database.rowsOf('audit')) {
    const type = String(row['type']);
    changes.set(type, (changes.get(type) ?? 0) + 1);
  }
  return changes;
};

/** Longer than anything waits once all is well: windows of keys, times until a person is asked, back-offs. */
const longestHealingMs = 15 * 60_000;
const lookAgainMs = 3_000;

const violationOf = (trouble: unknown): Violation | null => {
  if (trouble === null) return null;
  if (trouble instanceof Violation) return trouble;
  const told = trouble instanceof Error ? (trouble.stack ?? trouble.message) : String(trouble);
  return new Violation('crash', 'nothing breaks that no verdict covers', told);
};

const live = async (history: History, healingMs: number): Promise<void> => {
  const { plan, scheduler, chance } = history;
  const over = (): boolean => history.trouble !== null;
  const ready = async (work: Promise<unknown>): Promise<void> => {
    let done = false;
    history.start(() => work.then(() => (done = true)));
    await scheduler.runUntil(Number.POSITIVE_INFINITY, () => done || over());
  };
  for (let index = 1; index <= plan.orders; index += 1) {
    const captured = chance.pick([5_000, 10_000, 10_000]) ?? 10_000;
    await ready(history.putOrder(index, plan.capturedMinor ?? captured));
  }
  if (history.has('two-approvals')) await ready(askForTwoApprovals(history));
  const agents = history.person('agent');
  const approvers = history.person('approver');
  const persons = [agents[0], approvers[0], agents[1], approvers[1]].slice(0, plan.devices);
  persons.forEach((person, index) => {
    if (person !== undefined)
      history.addDevice(`device ${String(index + 1)}`, person, history.has('tabs') ? 2 : 1);
  });
  for (const device of history.devices) {
    await ready(device.signIn());
    await ready(device.pollFeed());
  }
  history.revive();
  letPeopleAct(history);
  letTroublesHappen(history);
  letManagersAct(history);
  history.every('an auditor', 2_000, 7_000, () => auditFigures(history));
  beginTroubles(history);
  await scheduler.runUntil(scheduler.nowMs() + plan.faultsForMs, over);
  if (over()) return;
  heal(history);
  const latestMs = scheduler.nowMs() + healingMs;
  while (!over()) {
    await scheduler.runUntil(scheduler.nowMs() + lookAgainMs, over);
    const left = [...(await unfinished(history)), ...(await behind(history))];
    if (left.length === 0) break;
    if (scheduler.nowMs() > latestMs) {
      throw new Violation('liveness', 'everything ends or stands before a person', left.join('; '));
    }
  }
  if (!over()) await ready(checkEnding(history));
};

/**
 * Lives one history from its beginning to its end.
 * @param healingMs how long it may take, by its own clock, until all has ended once everything is healed
 */
export const runHistory = async (
  plan: Plan,
  database: HistoryDatabase,
  traces = false,
  healingMs = longestHealingMs,
): Promise<Outcome> => {
  await database.begin();
  const history = new History(plan, database, traces);
  const restoreUuids = useRandomUuids(history.randomUuid);
  const letGoOn = database.quiet === null ? keepWhatIsPutOff() : (): void => undefined;
  const onUnhandled = (error: unknown): void => history.fail(error);
  process.on('unhandledRejection', onUnhandled);
  try {
    await live(history, healingMs);
  } catch (error) {
    history.fail(error);
  } finally {
    history.killAll();
    process.off('unhandledRejection', onUnhandled);
    restoreUuids();
    letGoOn();
  }
  return {
    plan,
    violation: violationOf(history.trouble),
    log: history.log,
    steps: history.scheduler.steps(),
    lastedMs: history.scheduler.nowMs() - database.beginMs,
    operations: (await history.database.rowsOf('operations')).length,
    refunds: history.provider.ledger.refunds.length,
    reached: await changesOf(history),
  };
};
