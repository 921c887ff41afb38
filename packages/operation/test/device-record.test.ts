import { describe, expect, test } from 'vitest';
import {
  deviceRecordFormat,
  deviceRecordVersion,
  hashOfCommandText,
  judgeTakeUp,
  mintOperationId,
  readDeviceRecord,
  type ReadItem,
  type RecordedEvent,
} from '../src/operation.ts';

let minted = 0;
const mint = (): string => mintOperationId(1_764_000_000_000, new Uint8Array(10).fill((minted += 1)));

type Given = {
  readonly type?: string;
  readonly events?: readonly RecordedEvent[];
  readonly supersedes?: string;
};

const at = '2026-11-30T10:00:00.000Z';
const verdict = (status: string): RecordedEvent => ({ at, kind: 'verdict', status });

const itemOf = (operationId: string, { type = 'propose', events = [], supersedes }: Given = {}) => {
  const commandId = type === 'propose' ? operationId : mint();
  const proposal = {
    kind: 'refund',
    orderId: 'A-1',
    amount: { minor: 100, currency: 'EUR' },
    reason: 'returned',
  };
  const content =
    type === 'propose' ? proposal : type === 'approve' ? { fingerprint: 'a'.repeat(64) } : { reason: 'no' };
  const command = JSON.stringify({ commandId, subject: 'ann', type, operationId, ...content });
  return {
    key: `${operationId}/${type}/1`,
    operationId,
    commandId,
    type,
    subject: 'ann',
    supersedes: supersedes ?? null,
    protocol: 1,
    queuedAt: at,
    command,
    sha256: hashOfCommandText(command),
    events,
  };
};

const fileOf = (items: readonly unknown[], more: object = {}): string =>
  JSON.stringify({
    format: deviceRecordFormat,
    version: deviceRecordVersion,
    exportedAt: at,
    exportedBy: 'ann',
    items,
    ...more,
  });

const goodRecord = (items: readonly unknown[]) => {
  const read = readDeviceRecord(fileOf(items));
  if (!read.ok) throw new Error(read.fault.fault);
  return read;
};

const judgements = (items: readonly unknown[]): readonly string[] => {
  const read = goodRecord(items);
  return read.items.map((one: ReadItem) => (one.kind === 'read' ? judgeTakeUp(one, read) : one.because));
};

describe("a device's record as a file", () => {
  // Red when: `readItem` does not compare the hash, or compares labels with nothing.
  test('an item whose bytes were changed, or that is labelled as another, is set aside; the others are read', () => {
    const [good, changed, relabelled] = [itemOf(mint()), itemOf(mint()), itemOf(mint())];
    const tampered = { ...changed, command: changed.command.replace('"minor":100', '"minor":900') };
    const rehashed = { ...relabelled, operationId: mint() };
    const read = goodRecord([good, tampered, rehashed, { ...good, sha256: 7 }, 'nonsense']);
    expect(
      read.items.map((one) => (one.kind === 'read' ? 'read' : `${one.because} ${one.field ?? ''}`)),
    ).toEqual([
      'read',
      'hash-differs ',
      'other-than-labelled operationId',
      'bad-field sha256',
      'bad-field items.4',
    ]);
  });

  // Red when: a whole-file fault is read over and the items are taken all the same.
  test('a file that is none, of another version or with a broken field is refused as a whole, by name', () => {
    const faultOf = (text: string) => {
      const read = readDeviceRecord(text);
      return read.ok ? null : read.fault;
    };
    expect(faultOf('{')).toEqual({ fault: 'not-json' });
    expect(faultOf('[]')).toEqual({ fault: 'not-a-record' });
    expect(faultOf(fileOf([], { version: 2 }))).toEqual({ fault: 'other-version', version: '2' });
    expect(faultOf(fileOf([], { items: {} }))).toEqual({ fault: 'bad-field', field: 'items' });
    expect(faultOf(fileOf([], { exportedAt: 'soon' }))).toEqual({ fault: 'bad-field', field: 'exportedAt' });
    expect(faultOf(fileOf([]))).toBeNull();
  });

  // Red when: `judgeTakeUp` lets a decision, a refused, a dropped or a cancelled proposal go in again.
  test('only a proposal that nobody ended may go in again', () => {
    const [cancelled, superseded, replaced] = [mint(), mint(), mint()];
    expect(judgements([itemOf(mint())])).toEqual(['may-go']);
    expect(judgements([itemOf(mint(), { events: [verdict('applied')] })])).toEqual(['may-go']);
    expect(judgements([itemOf(mint(), { type: 'approve' })])).toEqual(['decision']);
    expect(judgements([itemOf(mint(), { events: [verdict('rejected')] })])).toEqual(['refused-before']);
    expect(judgements([itemOf(mint(), { events: [{ at, kind: 'dropped' }] })])).toEqual(['dropped-there']);
    expect(judgements([itemOf(cancelled), itemOf(cancelled, { type: 'cancel' })])).toEqual([
      'cancelled-there',
      'decision',
    ]);
    expect(judgements([itemOf(replaced), itemOf(mint(), { supersedes: replaced })])[1]).toBe(
      'earlier-not-cancelled',
    );
    const gone = itemOf(superseded, { events: [{ at, kind: 'dropped' }] });
    expect(judgements([gone, itemOf(mint(), { supersedes: superseded })])[1]).toBe('may-go');
  });
});
