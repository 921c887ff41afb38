import { expect, test } from 'vitest';
import type { Actor, Command, CommandResult } from '@holdfast/operation';
import { scriptedHouse } from '../../test/scripted-house.ts';
import { agent, approver, mint, shortSettings } from '../../test/worker-house.ts';
import { verifyAudit } from '../postgres/audit-verify.ts';
import { createIntake } from '../postgres/intake.ts';

// Two acts on one operation at the same moment, on a real PostgreSQL, in two processes or in one: whatever order they
// fall in, there is one outcome, the audit tells it, and the provider's ledger agrees. A round that fails names its seed.

const { house, newOrder, inLedger, figures } = await scriptedHouse({}, { maximum: 16 });
const cleo: Actor = { ...approver, id: 'approver-2', name: 'Cleo' };
const rounds = 10;

/** The intake of another process over the same database: nothing of it is gathered with the first one's. */
const elsewhere = createIntake({
  inOrganisation: house.inOrganisation,
  providers: house.providers,
  providerName: () => 'Stripe',
  rules: { keysMayDecide: true },
  undoMs: 0,
  providerTimeoutMs: shortSettings.providerTimeoutMs,
  nowMs: () => Date.now(),
});

const chanceOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

type Subject = { readonly id: string; readonly fingerprint: string; readonly payment: string };
type Intake = (actor: Actor, command: Command) => Promise<CommandResult>;
/** What came of an act: the verdict of a command, nothing of a worker's turn. */
type Act = (subject: Subject, give: Intake) => Promise<CommandResult | null>;

const approve =
  (by: Actor): Act =>
  ({ id, fingerprint }, give) =>
    give(by, { type: 'approve', commandId: mint(), operationId: id, fingerprint });
const deny =
  (by: Actor): Act =>
  ({ id }, give) =>
    give(by, { type: 'deny', commandId: mint(), operationId: id, reason: 'not this one' });
const withdraw: Act = ({ id }, give) =>
  give(approver, { type: 'withdraw', commandId: mint(), operationId: id });
const cancel: Act = ({ id }, give) =>
  give(agent, { type: 'cancel', commandId: mint(), operationId: id, reason: 'a mistake' });
const work: Act = async () => {
  await house.worker().runOnce();
  return null;
};

const subjectFor = async (start: 'proposed' | 'approved' | 'out of time'): Promise<Subject> => {
  const { order, payment } = await newOrder();
  const id = await house.propose(order, 2_000);
  if (start === 'approved') expect((await house.approve(id)).status).toBe('applied');
  if (start === 'out of time') {
    await house.database.admin`
      update operations set expires_at = now() - interval '1 second', wake_at = now() where id = ${id}`;
  }
  const [row] = await house.database.admin<{ fingerprint: string }[]>`
    select fingerprint from operations where id = ${id}`;
  return { id, fingerprint: row?.fingerprint ?? '', payment };
};

type Ended = {
  readonly subject: Subject;
  readonly state: string;
  readonly first: CommandResult | null;
  readonly second: CommandResult | null;
  /** The audit's own words, in order, without the proposal. */
  readonly told: readonly string[];
};

/** One round: both acts begin in an order and at a distance that the seed says; then all work that is due is done. */
const race = async (
  seed: number,
  start: Parameters<typeof subjectFor>[0],
  one: Act,
  other: Act,
): Promise<Ended> => {
  const chance = chanceOf(seed);
  const subject = await subjectFor(start);
  const through =
    (intake: typeof elsewhere | typeof house.apply): Intake =>
    async (actor, command) => {
      const [result] =
        intake === house.apply
          ? await house.apply(actor, command)
          : await elsewhere({ organisationId: house.organisationId, actor }, [{ ok: true, command }]);
      if (result === undefined) throw new Error('no verdict');
      return result;
    };
  const intakes = chance() < 0.5 ? [house.apply, elsewhere] : [house.apply, house.apply];
  const acts = [one, other].map((act, index) => async () => {
    const head = Math.floor(chance() * 4);
    for (let trip = 0; trip < head; trip += 1) await house.database.admin`select 1`;
    return act(subject, through(intakes[index] ?? house.apply));
  });
  const turned = chance() < 0.5;
  const answers = await Promise.all((turned ? acts.toReversed() : acts).map((act) => act()));
  const [first = null, second = null] = turned ? answers.toReversed() : answers;
  await house.worker().runOnce();
  await house.worker().runOnce();
  const [row] = await house.database.admin<{ state: string }[]>`
    select state from operations where id = ${subject.id}`;
  const told = await house.database.admin<{ type: string }[]>`
    select type from audit where operation_id = ${subject.id} order by sequence`;
  return {
    subject,
    state: row?.state ?? '',
    first,
    second,
    told: told.map(({ type }) => type).filter((type) => type !== 'propose' && type !== 'wait'),
  };
};

const slugOf = (result: CommandResult | null): string =>
  result?.problem === undefined ? (result?.status ?? '') : (result.problem.type.split('/').at(-1) ?? '');
const times = (told: readonly string[], type: string): number => told.filter((one) => one === type).length;

const everyRound = async (
  start: Parameters<typeof subjectFor>[0],
  one: Act,
  other: Act,
  holds: (ended: Ended) => void | Promise<void>,
): Promise<void> => {
  for (let seed = 1; seed <= rounds; seed += 1) {
    try {
      await holds(await race(seed, start, one, other));
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
  }
  const faults: unknown[] = [];
  await verifyAudit(house.inOrganisation, house.organisationId, (fault) => faults.push(fault));
  expect(faults).toEqual([]);
};

const nothingHappened = async ({ subject }: Ended): Promise<void> => {
  expect(inLedger(subject.payment)).toHaveLength(0);
  expect(await figures(subject.payment)).toMatchObject({ reserved: 0, refunded: 0 });
};
const happenedOnce = async ({ subject }: Ended): Promise<void> => {
  expect(inLedger(subject.payment)).toHaveLength(1);
  expect(await figures(subject.payment)).toMatchObject({ reserved: 0, refunded: 2_000 });
};

// Red when: a denial of what is approved is refused, or a claim takes what was denied.
test('approve × deny at once: it is denied, nothing is sent, and an approval after it hears by whom', async () => {
  await everyRound('proposed', approve(approver), deny(cleo), async (ended) => {
    expect(ended.state).toBe('denied');
    expect(slugOf(ended.second)).toBe('applied');
    expect(['applied', 'already-decided']).toContain(slugOf(ended.first));
    if (slugOf(ended.first) === 'already-decided') {
      expect(ended.told).toEqual(['deny']);
      expect(ended.first?.problem).toMatchObject({ decided: { state: 'denied', by: { name: 'Cleo' } } });
    } else expect(ended.told).toEqual(['approve', 'deny']);
    await nothingHappened(ended);
  });
});

// Red when: a second approval of an approved operation reserves again or starts a second submission.
test('approve × approve by two people at once: one completes it, both are recorded, one refund', async () => {
  await everyRound('proposed', approve(approver), approve(cleo), async (ended) => {
    expect([slugOf(ended.first), slugOf(ended.second)]).toEqual(['applied', 'applied']);
    expect(times(ended.told, 'approve')).toBe(1);
    expect(times(ended.told, 'approve-partly')).toBe(1);
    expect(times(ended.told, 'claim')).toBe(1);
    expect(ended.state).toBe('confirmed');
    await happenedOnce(ended);
  });
});

// Red when: the second denial overwrites who denied it first.
test('deny × deny by two people at once: one denial stands, and both are told whose', async () => {
  await everyRound('proposed', deny(approver), deny(cleo), async (ended) => {
    expect([slugOf(ended.first), slugOf(ended.second)]).toEqual(['applied', 'applied']);
    expect(ended.told).toEqual(['deny']);
    const sentences = [ended.first, ended.second].map((result) => result?.operation?.sentence);
    expect(new Set(sentences).size).toBe(1);
    expect(sentences[0]).toMatch(/^Denied by (Ben|Cleo): not this one\.$/);
    await nothingHappened(ended);
  });
});

// Red when: the row is not locked between judging an end and writing it, so that it ends while a request leaves.
test.each([
  ['withdraw', withdraw, 'proposed'],
  ['deny', deny(cleo), 'denied'],
  ['cancel', cancel, 'cancelled'],
] as const)(
  '%s × claim: either it stops and nothing is sent, or it is too late and says since when',
  async (_, stop, stopped) => {
    const seen = new Set<string>();
    await everyRound('approved', stop, work, async (ended) => {
      seen.add(slugOf(ended.first));
      if (slugOf(ended.first) === 'applied') {
        expect(ended.state).toBe(stopped);
        expect(times(ended.told, 'claim')).toBe(0);
        await nothingHappened(ended);
        return;
      }
      expect(slugOf(ended.first)).toBe('too-late');
      expect(ended.first?.problem?.['decided']).toMatchObject({ at: expect.any(String) as string });
      expect(ended.state).toBe('confirmed');
      expect(times(ended.told, 'claim')).toBe(1);
      await happenedOnce(ended);
    });
    expect([...seen].every((slug) => slug === 'applied' || slug === 'too-late')).toBe(true);
  },
);

// Red when: an approval is taken for something that has been cancelled.
test('cancel × approve at once: it is cancelled, and an approval after it is too late and hears by whom', async () => {
  await everyRound('proposed', cancel, approve(approver), async (ended) => {
    expect(ended.state).toBe('cancelled');
    expect(slugOf(ended.first)).toBe('applied');
    if (slugOf(ended.second) === 'too-late') {
      expect(ended.told).toEqual(['cancel']);
      expect(ended.second?.problem).toMatchObject({ decided: { state: 'cancelled', by: { name: 'Ada' } } });
    } else expect(ended.told).toEqual(['approve', 'cancel']);
    await nothingHappened(ended);
  });
});

// Red when: what was approved in time still expires as a proposal, or what expired is approved after it.
test('expiry × approve at once: it expires and nothing is sent, or it is approved and sent once', async () => {
  await everyRound('out of time', work, approve(approver), async (ended) => {
    if (slugOf(ended.second) === 'applied') {
      expect(ended.state).toBe('confirmed');
      expect(times(ended.told, 'expire')).toBe(0);
      await happenedOnce(ended);
      return;
    }
    expect(slugOf(ended.second)).toBe('too-late');
    expect(ended.second?.problem).toMatchObject({ decided: { state: 'expired', by: null } });
    expect(ended.told).toEqual(['expire']);
    await nothingHappened(ended);
  });
});

// Red when: taking an approval back revives what was denied meanwhile.
test('deny × withdraw at once: it is denied', async () => {
  await everyRound('approved', deny(cleo), withdraw, async (ended) => {
    expect(ended.state).toBe('denied');
    expect(slugOf(ended.first)).toBe('applied');
    expect(times(ended.told, 'deny')).toBe(1);
    await nothingHappened(ended);
  });
});
