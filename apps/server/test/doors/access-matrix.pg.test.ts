import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answered } from '../house-rig.ts';
import type { Caller } from './access-callers.ts';
import {
  guardedRows,
  mayEnter,
  rows,
  triedElsewhere,
  type At,
  type GuardedRow,
  type OpenRow,
  type State,
} from './access-matrix.ts';
import { marker, openAccessRig, type AccessRig } from './access-rig.ts';
import { databaseDigest } from './database-digest.ts';

let rig: AccessRig;
beforeAll(async () => {
  rig = await openAccessRig();
});
afterAll(() => rig.house.stop());

const isChanging = (row: GuardedRow): boolean => !row.route.startsWith('get ');
const statesOf = (row: GuardedRow): readonly State[] => [
  row.state ?? 'proposed',
  ...(Object.keys(row.in ?? {}) as State[]),
];
const passesOf = (row: GuardedRow, state: State): readonly number[] =>
  (state === (row.state ?? 'proposed') ? row.passes : row.in?.[state]) ?? [];
const fits = (status: number, wanted: readonly number[]): boolean =>
  wanted.length === 0 ? status >= 200 && status < 300 : wanted.includes(status);

/** What of the cells is not as the table says; empty when all are. */
type Wrong = string[];
const judge = (wrong: Wrong, cell: string, answer: Answered, wanted: readonly number[]): void => {
  if (fits(answer.status, wanted)) return;
  const want = wanted.length === 0 ? '2xx' : wanted.join(' or ');
  wrong.push(`${cell}: ${String(answer.status)} instead of ${want}: ${String(answer.body['detail'])}`);
};

/** What stands in a state by itself: no worker that runs for another cell takes it from there, and no caller is in it. */
const staysThere = (state: State): boolean => state !== 'approved' && !state.startsWith('own-');
const standing = new Map<State, Promise<At | undefined>>();

/** An operation in that state for those who are refused: as that changes nothing, which is looked at, one does for all. */
const standingIn = async (state: State): Promise<At> => {
  const admin = rig.home.find((one) => one.name === 'admin');
  const prepared = (staysThere(state) ? standing.get(state) : undefined) ?? rig.prepare(state, admin);
  standing.set(state, prepared);
  const at = await prepared;
  if (at === undefined) throw new Error(`nothing was prepared for ${state}`);
  return at;
};

/** Asks what has to be refused, and looks whether anything in the whole database is another than before. */
const nothingChanges = async (
  wrong: Wrong,
  what: string,
  ask: () => Promise<void>,
  organisationId?: string,
) => {
  const before = await databaseDigest(rig.house.admin, organisationId);
  await ask();
  const after = await databaseDigest(rig.house.admin, organisationId);
  for (const table of Object.keys(before)) {
    if (before[table] !== after[table]) wrong.push(`${what}: ${table} was changed`);
  }
};

const refusedAtHome = (row: GuardedRow, keysMayDecide: boolean): readonly Caller[] =>
  rig.home.filter((caller) => !mayEnter(row, caller, keysMayDecide));

const tryRefused = async (wrong: Wrong, row: GuardedRow, at: At): Promise<void> => {
  for (const stranger of rig.strangers) {
    const answer = await rig.send(row, at, stranger.headers, row.body?.(at));
    judge(wrong, `${row.route} by ${stranger.name}`, answer, [401]);
  }
  for (const keysMayDecide of row.not?.includes('keys') === true ? [true, false] : [true]) {
    for (const caller of refusedAtHome(row, keysMayDecide)) {
      const answer = await rig.send(row, at, caller.headers, row.body?.(at), keysMayDecide);
      judge(wrong, `${row.route} by ${caller.name}`, answer, [403]);
    }
  }
};

/** How a browser says that a page of somebody else's makes it send something. */
const forgeries: readonly Record<string, string>[] = [
  { origin: 'https://evil.test' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', origin: 'http://localhost:4780' },
];

/** A page of somebody else's makes a browser send the cookie of one who may. */
const tryForged = async (wrong: Wrong, row: GuardedRow, at: At): Promise<void> => {
  const signedIn = rig.home.find((caller) => !caller.isKey && mayEnter(row, caller, true));
  if (signedIn === undefined || !isChanging(row)) return;
  const { cookie = '' } = signedIn.headers;
  for (const forged of forgeries) {
    const answer = await rig.send(row, at, { cookie, ...forged }, row.body?.(at));
    judge(wrong, `${row.route} forged by ${JSON.stringify(forged)}`, answer, [403]);
  }
  if (row.body === undefined) return;
  const asForm = { ...signedIn.headers, 'content-type': 'text/plain' };
  judge(wrong, `${row.route} as a form`, await rig.send(row, at, asForm, row.body(at)), [400]);
};

const tryAllowed = async (wrong: Wrong, row: GuardedRow, state: State): Promise<number> => {
  let tried = 0;
  const wanted = passesOf(row, state);
  // Where nothing is going to change, one operation does for all.
  const keeps = !isChanging(row) || (wanted.length > 0 && wanted.every((status) => status >= 400));
  const doesForAll = keeps && !state.startsWith('own-') ? await standingIn(state) : undefined;
  const shared = row.repeats === true ? await rig.prepare(state) : doesForAll;
  for (const caller of rig.home.filter((one) => mayEnter(row, one, true))) {
    const at = shared ?? (await rig.prepare(state, caller));
    if (at === undefined) continue;
    // Who asks next is not to wait for the two seconds after the one before.
    if (row.repeats === true) {
      await rig.house.admin`update operations set check_asked_at = null where id = ${at.operationId}`;
    }
    const answer = await rig.send(row, at, caller.headers, row.body?.(at));
    judge(wrong, `${row.route} (${state}) by ${caller.name}`, answer, wanted);
    tried += 1;
  }
  return tried;
};

/** Callers of another organisation, whatever they may there, are told nothing of ours and change nothing of it. */
const tryElsewhere = async (wrong: Wrong, row: GuardedRow, at: At): Promise<void> => {
  const usual = row.route.includes('{id}') ? [404] : (row.passes ?? []);
  for (const caller of rig.elsewhere) {
    const body = row.body?.(at);
    const answer = await rig.send(row, at, caller.headers, body);
    const wanted = mayEnter(row, caller, true) ? (row.elsewhere ?? usual) : [403];
    judge(wrong, `${row.route} from elsewhere by ${caller.name}`, answer, wanted);
    // What it sent itself may come back; nothing else of ours may.
    const told = JSON.stringify(answer.body).replaceAll(at.orderId, '').replaceAll(at.ticketId, '');
    if (told.includes(marker)) wrong.push(`${row.route} told ${caller.name} from elsewhere of ours`);
  }
};

describe('the doors', () => {
  // Red when: a route is mounted that nobody wrote a row for (take one out of access-matrix.ts).
  it('every route that is mounted has one row, and every row a route', () => {
    const mounted = rig.house.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    const written = [...rows.map(({ route }) => route), ...triedElsewhere];
    expect(written.toSorted()).toEqual([...new Set(mounted)].toSorted());
    expect(new Set(written).size).toBe(written.length);
  });

  for (const row of guardedRows) {
    // Red when: `demandRole`, `authenticate` or `demandOwnOrigin` is left out of the pipeline, `forbids` of a route is, or
    // its `needs` is widened; or when any of them is asked only after something was written.
    it(`${row.route} is shut to everyone but ${row.may.join(', ')}, and a refusal changes nothing`, async () => {
      const wrong: Wrong = [];
      for (const state of statesOf(row)) {
        const at = await standingIn(state);
        await nothingChanges(wrong, `${row.route} (${state})`, async () => {
          await tryRefused(wrong, row, at);
          await tryForged(wrong, row, at);
        });
      }
      expect(wrong).toEqual([]);
    });

    // Red when: a query of that route, or the row-level security under it, names no organisation.
    it(`${row.route} tells another organisation nothing of ours and changes nothing of it`, async () => {
      const wrong: Wrong = [];
      const at = await standingIn(row.state ?? 'proposed');
      await nothingChanges(
        wrong,
        `${row.route} from elsewhere`,
        () => tryElsewhere(wrong, row, at),
        rig.house.organisationId,
      );
      expect(wrong).toEqual([]);
    });

    it(`${row.route} is open to ${row.may.join(', ')} in the states the table names`, async () => {
      const wrong: Wrong = [];
      for (const state of statesOf(row)) expect(await tryAllowed(wrong, row, state)).toBeGreaterThan(0);
      expect(wrong).toEqual([]);
    });
  }

  it.each(rows.filter((row): row is OpenRow => 'open' in row))(
    '$route answers everyone alike, tells nothing of an organisation and changes nothing',
    async (row) => {
      const wrong: Wrong = [];
      const at = await rig.prepare('proposed');
      if (at === undefined) throw new Error('nothing was prepared');
      await nothingChanges(wrong, row.route, async () => {
        for (const caller of [...rig.strangers, ...rig.home.slice(0, 6), ...rig.elsewhere.slice(3, 6)]) {
          const answer = await rig.send(row, at, caller.headers, row.body?.());
          judge(wrong, `${row.route} by ${caller.name}`, answer, row.open);
          if (JSON.stringify(answer.body).includes(marker))
            wrong.push(`${row.route} told ${caller.name} of us`);
        }
      });
      expect(wrong).toEqual([]);
    },
  );

  // Red when: `demandOwnOrigin` is left out where nobody is signed in: a page could sign its visitor in as somebody else.
  it.each(
    rows.filter((row): row is OpenRow => 'open' in row && row.route.startsWith('post ') && !row.byProvider),
  )('$route is not asked by a page of somebody else’s', async (row) => {
    const wrong: Wrong = [];
    const at = await rig.prepare('unheard');
    const signedIn = rig.home.find(({ isKey }) => !isKey);
    if (at === undefined || signedIn === undefined) throw new Error('nobody is signed in');
    await nothingChanges(wrong, row.route, async () => {
      for (const forged of forgeries) {
        for (const cookie of ['', signedIn.headers['cookie'] ?? '']) {
          const answer = await rig.send(row, at, { cookie, ...forged }, row.body?.() ?? {});
          judge(wrong, `${row.route} forged by ${JSON.stringify(forged)}`, answer, [403]);
        }
      }
    });
    expect(wrong).toEqual([]);
  });

  // Red when: `judgeCommand` judges a type of command by other rights than the route of that type does.
  it('a command in a batch is refused to whom its own route is shut', async () => {
    const wrong: Wrong = [];
    for (const type of ['propose', 'approve', 'withdraw', 'deny', 'cancel', 'resolve'] as const) {
      const route = type === 'propose' ? 'put /v1/operations/{id}' : `post /v1/operations/{id}/${type}`;
      const row = guardedRows.find((one) => one.route === route);
      const at = await rig.prepare('unheard');
      if (row === undefined || at === undefined) throw new Error(`no row for ${type}`);
      for (const keysMayDecide of [true, false]) {
        // A key that only reads is kept from the whole batch, as the table says.
        for (const caller of rig.home.filter(({ scope }) => scope !== 'read')) {
          const id = at.freshId();
          const command = { ...(row.body?.(at) as object), type, operationId: id };
          const commands = [{ commandId: id, ...command }];
          const answer = await rig.send(
            { route: 'post /v1/commands' },
            at,
            caller.headers,
            { commands },
            keysMayDecide,
          );
          const [result] = answer.body['results'] as { problem?: { status: number } }[];
          const isRefused = result?.problem?.status === 403;
          if (isRefused === mayEnter(row, caller, keysMayDecide)) {
            wrong.push(`${type} by ${caller.name}, keys ${keysMayDecide ? 'deciding' : 'not deciding'}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  // Red when: signing out takes a page's word for whose request it is, or ends more than the session that asks.
  it('signing out ends the session that asks, and no page of somebody else’s can ask for it', async () => {
    const route = 'post /api/auth/sign-out';
    const [one, other] = rig.home.filter(({ isKey }) => !isKey);
    const at = await rig.prepare('unheard');
    if (one === undefined || other === undefined || at === undefined) throw new Error('nobody is signed in');
    const isIn = async ({ headers }: Caller) =>
      (await rig.send({ route: 'get /v1/me' }, at, headers)).status === 200;
    const { cookie = '' } = one.headers;
    await nothingChanges([], 'sign-out', async () => {
      for (const stranger of rig.strangers) await rig.send({ route }, at, stranger.headers, {});
      const forged = await rig.send({ route }, at, { cookie, origin: 'https://evil.test' }, {});
      expect(forged.status).toBe(403);
    });
    expect([await isIn(one), await isIn(other)]).toEqual([true, true]);
    expect((await rig.send({ route }, at, one.headers, {})).status).toBe(200);
    expect([await isIn(one), await isIn(other)]).toEqual([false, true]);
  });
});
