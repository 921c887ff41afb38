import { approvedSentenceNow, type Operation } from '@holdfast/operation';
import { checkFiguresAtTheEnd } from './figures.ts';
import type { History } from '../world/history.ts';
import { Violation } from '../world/violation.ts';
import type { Row } from '../postgres/values.ts';
import type { LedgerRefund } from '../provider/ledger.ts';
import { longestLateMs } from '../provider/provider-client.ts';

const ended = new Set(['confirmed', 'failed', 'reversed', 'denied', 'cancelled', 'expired']);

const listedLateMs = 7_000;

const short = (id: string): string => id.slice(-4);
const text = (row: Row, column: string): string => String(row[column] ?? '');
const needsPerson = (row: Row): boolean => Array.isArray(row['attention']) && row['attention'].length > 0;

/** Proposals that a device holds for taken and the server does not have. */
const acknowledgedAndGone = async (history: History): Promise<readonly string[]> => {
  const gone: string[] = [];
  const known = new Set((await history.database.rowsOf('operations')).map((row) => text(row, 'id')));
  for (const device of history.devices) {
    const items = new Map((await device.items()).map((item) => [item.key, item]));
    for (const [key, { operationId, type }] of device.promised) {
      const ending = items.get(key)?.ending;
      const isTaken = ending?.how === 'verdict' && ending.status !== 'rejected';
      if (isTaken && type === 'propose' && !known.has(operationId))
        gone.push(`${short(operationId)} of ${device.name}`);
    }
  }
  return gone;
};

/**
 * When the provider's list has to have been read for the last time. A request that was on its way when a copy was put
 * back is known to nobody here: it may arrive when all is well, and only a list that is read after it shows it.
 */
const listedFromMs = ({ healedAtMs, putBackAtMs, provider }: History): number => {
  const refundsMs = provider.ledger.refunds.map(({ atMs }) => atMs);
  const arrivedMs = putBackAtMs === null ? [] : [putBackAtMs + longestLateMs, ...refundsMs];
  return Math.max(healedAtMs, ...arrivedMs) + listedLateMs;
};

/** What is not at its end and stands before nobody, in words; nothing once everything is. */
export const unfinished = async (history: History): Promise<readonly string[]> => {
  const left: string[] = [];
  for (const row of await history.database.rowsOf('operations')) {
    const state = text(row, 'state');
    if (ended.has(state) || state === 'proposed' || needsPerson(row)) continue;
    left.push(`${short(text(row, 'id'))} is ${state}, waits for ${text(row, 'waiting_for') || 'nothing'}`);
  }
  for (const row of await history.database.rowsOf('provider_events')) {
    if (row['applied_at'] === null) left.push(`event ${text(row, 'event_id')} is not applied`);
  }
  if (history.untold > 0) left.push(`${String(history.untold)} events of the provider are not acknowledged`);
  // What was made shortly before is listed a little later.
  const lookedMs = (await history.database.rowsOf('mirror_positions')).map((row) =>
    Number(row['listed_through'] ?? 0),
  );
  if (
    (await history.database.rowsOf('operations')).length > 0 &&
    Math.max(0, ...lookedMs) < listedFromMs(history)
  ) {
    left.push('nobody has looked at the provider’s list since');
  }
  // A device that has not heard of a restore yet has not told again what was taken since the copy.
  if (history.witness.restored && !history.unnoticed) {
    left.push(...(await acknowledgedAndGone(history)).map((one) => `${one} has not been told again`));
  }
  for (const device of history.unnoticed ? [] : history.devices) {
    const unended = (await device.items()).filter(({ ending }) => ending === null);
    // A person sees an operation's items together: what waits behind one that needs them stands before them with it.
    const seen = new Set(
      unended.flatMap((item) => (item.standing === 'needs-you' ? [item.operationId] : [])),
    );
    for (const item of unended) {
      if (!seen.has(item.operationId))
        left.push(
          `${device.name} still has ${item.type} of ${short(item.operationId)}: ${String(item.notSentBecause)} ${String(item.standing)}`,
        );
    }
  }
  return left;
};

/** Whether every screen shows what the server has, in words where one does not. */
export const behind = async (history: History): Promise<readonly string[]> => {
  const left: string[] = [];
  for (const row of await history.database.rowsOf('operations')) {
    const id = text(row, 'id');
    for (const device of history.devices) {
      const shown = device.cache.operations.get(id);
      if (history.unnoticed) continue;
      if (shown?.version !== row['version']) {
        left.push(
          `${device.name} shows ${short(id)} at ${String(shown?.version)}, not ${String(row['version'])}`,
        );
      }
    }
  }
  return left;
};

const rule = (promise: string, detail: string): never => {
  throw new Violation('safety', promise, detail);
};

/**
 * After a restore the provider may have a refund of another amount for what was never sent, as far as the copy knows.
 * It raises a person; whoever ends the operation and clears that has seen it, and no act but theirs says so.
 */
const isClearedByPerson = (
  { putBackAtMs }: History,
  { amount }: Operation,
  row: Row,
  refunds: readonly LedgerRefund[],
) =>
  putBackAtMs !== null &&
  Array.isArray(row['cleared_attention']) &&
  row['cleared_attention'].includes('amount-differs') &&
  amount !== null &&
  refunds.every(({ minor }) => minor !== amount.minor);

const checkOperation = (history: History, operation: Operation, row: Row): void => {
  const refunds = history.provider.ledger.refunds.filter((one) => one.operationId === operation.id);
  const standing = refunds.filter(({ status }) => status === 'succeeded');
  const about = `${short(operation.id)} is ${operation.state} (“${operation.sentence}”), the provider holds: ${refunds.map(({ reference, status }) => `${reference} ${status}`).join(', ') || 'nothing'}`;
  history.witness.judgeSentence(operation);
  // Also what a person looks at says no more that it is refunded.
  if (operation.state === 'confirmed' && operation.resolution === null && standing.length === 0)
    rule('at the end “refunded” is so', about);
  if (operation.attention.length > 0 || operation.resolution !== null) return;
  switch (operation.state) {
    case 'confirmed':
      if (standing.length !== 1) rule('at the end “refunded” is so', about);
      return;
    case 'denied':
    case 'cancelled':
    case 'expired':
      if (standing.length > 0 && !isClearedByPerson(history, operation, row, standing))
        rule('at the end nothing is hidden', about);
      return;
    case 'failed':
    case 'proposed':
      if (standing.length > 0) rule('at the end nothing is hidden', about);
      return;
    case 'reversed':
      if (standing.length > 0) rule('at the end “did not last” is so', about);
      return;
    case 'approved':
    case 'submitting':
    case 'pending':
    case 'outcome_unknown':
      return;
  }
};

/** What a person was told is saved is still there, and reached the server once. */
const checkItems = async (history: History): Promise<void> => {
  for (const device of history.devices) {
    const items = new Map((await device.items()).map((item) => [item.key, item]));
    for (const [key, { operationId, type }] of device.promised) {
      const item = items.get(key);
      if (item === undefined) rule('no item vanishes', `${type} of ${short(operationId)} on ${device.name}`);
      const isDropped = item?.ending?.how === 'dropped' && item.ending.because === 'cancelled';
      if (isDropped && type === 'propose' && !device.endedHere.has(operationId))
        rule('no item is dropped that nobody dropped', `${type} of ${short(operationId)} on ${device.name}`);
    }
  }
  const [gone] = history.unnoticed ? [] : await acknowledgedAndGone(history);
  if (gone !== undefined) rule('what was acknowledged is there', gone);
};

/** What a screen makes of the sentence that it was told: the seconds of the undo window run on there. They are over. */
const onScreen = ({ sentence, waitingFor }: Operation): string =>
  waitingFor === 'undo' ? approvedSentenceNow(sentence, 0) : sentence;

/** After everything has healed and come to rest. */
export const checkEnding = async (history: History): Promise<void> => {
  for (const row of await history.database.rowsOf('operations')) {
    const operation = await history.toldNow(text(row, 'id'));
    if (operation === null) return rule('no operation vanishes', short(text(row, 'id')));
    checkOperation(history, operation, row);
    for (const device of history.unnoticed ? [] : history.devices) {
      const shown = device.cache.operations.get(operation.id);
      if (shown === undefined || onScreen(shown) !== onScreen(operation) || shown.state !== operation.state) {
        rule(
          'every device ends where the server is',
          `${device.name} shows ${short(operation.id)} as “${shown?.sentence ?? ''}”, the server says “${operation.sentence}”`,
        );
      }
    }
  }
  await checkFiguresAtTheEnd(history);
  await checkItems(history);
};
