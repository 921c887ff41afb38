import type { DeviceItem } from '@holdfast/outbox';
import type { Command, Operation, Order, ProblemSlug } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import { conflictOf } from './conflict-of.ts';

const eur = (minor: number) => ({ minor, currency: 'EUR' });
const operationId = '01990000-0000-7000-8000-000000000001';
const me = 'lena';

const operation = (change: Partial<Operation> = {}): Operation => ({
  id: operationId,
  kind: 'refund',
  state: 'proposed',
  version: 3,
  needsPerson: false,
  attention: [],
  waitingFor: null,
  amount: eur(2_500),
  orderId: 'order-1',
  paymentReference: 'pi_1',
  ticketId: null,
  customerId: 'customer-1',
  lines: [],
  returnId: null,
  reason: 'returned',
  note: null,
  replaces: null,
  fingerprint: 'a'.repeat(64),
  proposedBy: { id: 'ann', name: 'Ann', assistant: false },
  approvals: [],
  provider: { name: 'stripe', reference: null, status: null },
  attemptCount: 0,
  unknownSince: null,
  lastCheckAt: null,
  nextCheckAt: null,
  replayDeadline: null,
  undoUntil: null,
  resolution: null,
  sentence: 'Waiting for approval.',
  tellTheCustomer: '',
  createdAt: '2026-11-29T10:00:00.000Z',
  updatedAt: '2026-11-29T11:00:00.000Z',
  ...change,
});

const order = (version: number, refundable: number): Order => ({
  id: 'order-1',
  version,
  customer: { id: 'customer-1', name: 'Jürgen' },
  payment: { provider: 'stripe', reference: 'pi_1', captured: eur(10_000) },
  lines: [],
  returns: [],
  placedAt: '2026-11-01T10:00:00.000Z',
  captured: eur(10_000),
  refunded: eur(0),
  refundedElsewhere: eur(0),
  reserved: eur(0),
  refundable: eur(refundable),
  disputed: false,
  operationIds: [],
  updatedAt: '2026-11-29T12:00:00.000Z',
});

const seen = { refundable: eur(10_000), orderVersion: 1 };
const commands: Record<Exclude<Command['type'], 'propose'>, Command> = {
  approve: { type: 'approve', operationId, commandId: operationId, fingerprint: 'a'.repeat(64), seen },
  withdraw: { type: 'withdraw', operationId, commandId: operationId },
  deny: { type: 'deny', operationId, commandId: operationId, reason: 'Empty box' },
  cancel: { type: 'cancel', operationId, commandId: operationId, reason: 'Typed twice' },
  resolve: { type: 'resolve', operationId, commandId: operationId, version: 3, outcome: 'failed', note: 'n' },
};

const item = (type: keyof typeof commands, change: Partial<DeviceItem> = {}): DeviceItem => ({
  key: `${operationId}/${type}`,
  operationId,
  commandId: operationId,
  type,
  subject: me,
  command: commands[type],
  safety: 'saved',
  standing: 'open',
  sending: false,
  mayHaveBeenSent: false,
  queuedAtMs: 1_000,
  attemptCount: 0,
  lastAttempt: null,
  notSentBecause: 'unreachable',
  nextTryAtMs: null,
  ending: null,
  mayUndoDrop: false,
  mayReplace: true,
  ...change,
});

const refused = (type: keyof typeof commands, slug: ProblemSlug, extra: object = {}): DeviceItem =>
  item(type, {
    standing: 'needs-you',
    mayHaveBeenSent: true,
    safety: 'received',
    ending: {
      how: 'verdict',
      status: 'rejected',
      atMs: 2_000,
      problem: {
        type: `https://holdfast.invalid/problems/${slug}`,
        title: slug,
        status: 409,
        detail: `It is ${slug}.`,
        final: true,
        ...extra,
      },
    },
  });

const approvedBy = (id: string, name: string) => [
  { by: { id, name }, at: '2026-11-29T11:30:00.000Z', signed: false },
];
const at = order(1, 10_000);

describe('a decision that Holdfast refused', () => {
  // Red when: `actOf` names who approved it for a refused reference, or what was typed is left out.
  it('a refused settlement names what was tried, and nobody who has nothing to do with it', () => {
    const now = operation({ state: 'outcome_unknown', approvals: approvedBy('ben', 'Ben Lead') });
    const tried = {
      ...refused('resolve', 'not-eligible'),
      command: { ...commands.resolve, outcome: 'confirmed', providerReference: 're_bogus' } as Command,
    };
    expect(conflictOf({ item: tried, operation: now, order: at, me })).toMatchObject({
      decided: { settlement: { outcome: 'confirmed', reference: 're_bogus', note: 'n' } },
      by: null,
      step: 'look-again',
    });
    expect(conflictOf({ item: refused('resolve', 'stale'), operation: now, order: at, me })?.by).toEqual({
      ...{ name: null, did: null, at: now.updatedAt },
    });
  });

  // Red when: who ended it is taken from anywhere but the verdict, or the same is said a second time in its words.
  it('names who ended it and when from the verdict, and what else takes the money of the payment', () => {
    const decided = { state: 'denied', by: { id: 'cleo', name: 'Cleo' }, at: '2026-11-29T11:31:00.000Z' };
    const beside = { id: 'op-2', state: 'approved', amount: eur(10_000), sentence: 'Approved.' };
    const denied = refused('approve', 'already-decided', { decided, operations: [beside] });
    const now = operation({ state: 'denied' });
    expect(conflictOf({ item: denied, operation: now, order: at, me })).toMatchObject({
      by: { name: 'Cleo', did: 'denied', at: decided.at },
      now: { because: null },
      beside: [beside],
    });
    const submitting = { state: 'submitting', by: null, at: decided.at };
    const late = refused('deny', 'too-late', { decided: submitting });
    expect(
      conflictOf({ item: late, operation: operation({ state: 'submitting' }), order: at, me }),
    ).toMatchObject({
      by: { name: null, did: null, at: decided.at },
      now: { because: 'It is too-late.' },
    });
  });

  // Red when: `stepAfterRefusal` does not ask for the state, or `refundableNow` not for the problem's own figures.
  it.each([
    ['approve', 'stale-approval', {}, 'look-again', 'refused'],
    ['approve', 'not-eligible', {}, 'look-again', 'refused'],
    ['approve', 'exceeds-refundable', {}, 'look-again', 'refused'],
    ['approve', 'already-decided', { state: 'denied' }, 'nothing', 'refused'],
    ['approve', 'too-late', { state: 'expired' }, 'nothing', 'refused'],
    ['deny', 'already-decided', { state: 'denied' }, 'nothing', 'refused'],
    ['deny', 'too-late', { state: 'submitting' }, 'follow', 'refused'],
    ['deny', 'too-late', { state: 'confirmed' }, 'nothing', 'refused'],
    ['cancel', 'too-late', { state: 'outcome_unknown' }, 'follow', 'refused'],
    ['cancel', 'too-late', { state: 'confirmed' }, 'nothing', 'refused'],
    ['cancel', 'too-late', { state: 'denied' }, 'nothing', 'ended-before'],
    ['withdraw', 'too-late', { state: 'submitting' }, 'follow', 'refused'],
    ['withdraw', 'too-late', { state: 'proposed' }, 'nothing', 'nothing-stands'],
    ['resolve', 'stale', { state: 'outcome_unknown' }, 'look-again', 'refused'],
    ['resolve', 'stale', { state: 'confirmed' }, 'nothing', 'refused'],
  ] as const)('%s, %s, %j: the one next step is %s', (type, slug, change, step, title) => {
    const facts = { item: refused(type, slug), operation: operation(change), order: at, me };
    expect(conflictOf(facts)).toMatchObject({
      title,
      evidence: 'refused',
      step,
      decided: { type, amount: eur(2_500), atMs: 1_000 },
      now: { sentence: 'Waiting for approval.', because: `It is ${slug}.` },
    });
  });

  it('shows the figures that were on the screen, and those of the refusal before those of the feed', () => {
    const now = { fingerprint: 'a'.repeat(64), refundable: eur(6_000), orderVersion: 2 };
    const facts = {
      item: refused('approve', 'stale-approval', { now }),
      operation: operation(),
      order: at,
      me,
    };
    expect(conflictOf(facts)).toMatchObject({
      decided: { refundable: eur(10_000) },
      now: { refundable: eur(6_000) },
      by: { name: null, at: at.updatedAt },
    });
  });

  it('is no conflict once it was read, nor is a decision that was accepted', () => {
    const read = { ...refused('deny', 'too-late'), standing: 'closed' as const };
    expect(conflictOf({ item: read, operation: operation(), order: at, me })).toBeNull();
    const taken = item('approve', {
      standing: 'closed',
      ending: { how: 'verdict', status: 'applied', problem: null, atMs: 2_000 },
    });
    expect(
      conflictOf({ item: taken, operation: operation({ state: 'approved' }), order: at, me }),
    ).toBeNull();
  });

  it('about an operation that this device was told nothing of, it says only what was answered', () => {
    const facts = { item: refused('approve', 'too-late'), operation: null, order: null, me };
    expect(conflictOf(facts)).toMatchObject({ now: { sentence: null }, by: null, step: 'nothing' });
  });
});

describe('a decision that waits here while the feed brings something else', () => {
  // Red when: `isOvertaken` looks at the state alone.
  it('unsent, with other figures by now: it says so before anything is sent', () => {
    const facts = { item: item('approve'), operation: operation(), order: order(2, 6_000), me };
    expect(conflictOf(facts)).toMatchObject({
      title: 'changed',
      evidence: 'unsent',
      step: 'take-back',
      decided: { refundable: eur(10_000) },
      now: { refundable: eur(6_000), because: null },
    });
  });

  it('names who approved it meanwhile and when', () => {
    const now = operation({ state: 'approved', approvals: approvedBy('otto', 'Otto Desk') });
    expect(conflictOf({ item: item('approve'), operation: now, order: at, me })?.by).toEqual({
      name: 'Otto Desk',
      did: 'approved',
      at: '2026-11-29T11:30:00.000Z',
    });
  });

  // Red when: a denial is called overtaken by an approval that it still stops.
  it('a denial of what was approved meanwhile is no conflict: it stops it until it is submitted', () => {
    const now = operation({ state: 'approved', approvals: approvedBy('otto', 'Otto Desk') });
    expect(conflictOf({ item: item('deny'), operation: now, order: at, me })).toBeNull();
    const claimed = { ...now, state: 'submitting' as const };
    expect(conflictOf({ item: item('deny'), operation: claimed, order: at, me })?.step).toBe('take-back');
  });

  // Red when: `isOvertaken` forgets one of the ways in which a change is this very decision's own.
  it('says nothing where the change may be its own doing, or its answer is about to come', () => {
    const sent = { mayHaveBeenSent: true, safety: 'sent' as const };
    const none = [
      { item: item('approve', sent), operation: operation({ approvals: approvedBy(me, 'Lena') }) },
      { item: item('approve', { ...sent, sending: true }), operation: operation({ state: 'denied' }) },
      { item: item('deny', sent), operation: operation({ state: 'denied' }) },
      { item: item('cancel', sent), operation: operation({ state: 'cancelled' }) },
      { item: item('withdraw', sent), operation: operation({ state: 'proposed' }) },
      { item: item('cancel'), operation: operation({ state: 'approved' }) },
      { item: item('approve'), operation: operation() },
    ];
    for (const facts of none) expect(conflictOf({ ...facts, order: at, me })).toBeNull();
  });

  it('what may have been sent is never called unsent, and only an approval is taken back then', () => {
    const sent = { mayHaveBeenSent: true };
    const now = operation({ state: 'expired' });
    expect(conflictOf({ item: item('approve', sent), operation: now, order: at, me })).toMatchObject({
      evidence: 'maybe-sent',
      step: 'take-back',
    });
    expect(conflictOf({ item: item('deny', sent), operation: now, order: at, me })).toMatchObject({
      evidence: 'maybe-sent',
      step: 'wait-for-answer',
    });
  });
});
