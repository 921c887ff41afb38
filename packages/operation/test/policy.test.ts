import { describe, expect, test } from 'vitest';
import { boundsOfDate, dayBounds, defaultPolicy, policyFromStored, policySchema } from '../src/operation.ts';

describe('a policy', () => {
  test('of a fresh organisation is one that can be stored and edited as it is', () => {
    expect(policySchema.parse(defaultPolicy)).toEqual(defaultPolicy);
  });

  // Red when: what an older shape does not have is no longer the default.
  test('stored in an older shape is read with the defaults of what it does not know', () => {
    const { version, approvalsNeeded, proposerMayApprove, refundWindowMs } = defaultPolicy;
    const { proposalExpiresAfterMs, approvalExpiresAfterMs } = defaultPolicy;
    const old = {
      version,
      proposerMayApprove,
      refundWindowMs,
      proposalExpiresAfterMs,
      approvalExpiresAfterMs,
    };
    expect(policyFromStored({ ...old, approvalsNeeded })).toEqual(defaultPolicy);
    expect(policyFromStored({ ...old, approvalsNeeded: 2 })).toEqual({
      ...defaultPolicy,
      approvalsNeeded: 2,
    });
  });

  // Red when: `policyFromStored` takes what it cannot read for the default.
  test.each([
    ['approvalsNeeded', 0],
    ['approvalsNeeded', 'two'],
    ['timeZone', 'Mars/Olympus'],
    ['signatureRequired', 'sometimes'],
    ['limits', [{ for: { role: 'approver', personId: 'p' }, act: 'approve', per: 'day', most: {} }]],
    ['automaticApproval', { roles: ['agent'], upTo: [{ minor: 1, currency: 'eur' }] }],
    [
      'automaticApproval',
      {
        roles: ['agent'],
        upTo: [
          { minor: 1, currency: 'EUR' },
          { minor: 2, currency: 'EUR' },
        ],
      },
    ],
  ])('whose %s cannot be read decides nothing', (field, value) => {
    expect(() => policyFromStored({ ...defaultPolicy, [field]: value })).toThrow(field);
  });
});

const hourMs = 3_600_000;
const boundsAt = (instant: string, timeZone: string): { start: string; end: string; hours: number } => {
  const { startMs, endMs } = dayBounds(Date.parse(instant), timeZone);
  return {
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    hours: (endMs - startMs) / hourMs,
  };
};

describe('a day of the organisation', () => {
  // Red when: a day is taken to be 24 hours, or to begin where it does in UTC.
  test.each([
    ['UTC', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z', 24],
    ['UTC', '2026-01-01T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', 24],
    // Clocks go forward: 23 hours. Clocks go back: 25.
    ['Europe/Berlin', '2026-03-29T21:59:59.999Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 23],
    ['Europe/Berlin', '2026-10-25T00:30:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', 25],
    ['Europe/Berlin', '2026-10-25T01:30:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', 25],
    // The tenth of January in Vancouver is the eleventh in UTC.
    [
      'America/Vancouver',
      '2026-01-11T00:42:00.000Z',
      '2026-01-10T08:00:00.000Z',
      '2026-01-11T08:00:00.000Z',
      24,
    ],
    // A quarter of an hour, and half an hour of summer time.
    [
      'Asia/Kathmandu',
      '2026-05-05T12:00:00.000Z',
      '2026-05-04T18:15:00.000Z',
      '2026-05-05T18:15:00.000Z',
      24,
    ],
    [
      'Australia/Lord_Howe',
      '2026-10-03T20:00:00.000Z',
      '2026-10-03T13:30:00.000Z',
      '2026-10-04T13:00:00.000Z',
      23.5,
    ],
    // The day begins at one o'clock, because midnight was left out.
    [
      'America/Santiago',
      '2026-09-06T12:00:00.000Z',
      '2026-09-06T04:00:00.000Z',
      '2026-09-07T03:00:00.000Z',
      23,
    ],
    // A country went over the date line: 30 December 2011 is on no wall there.
    ['Pacific/Apia', '2011-12-31T00:00:00.000Z', '2011-12-30T10:00:00.000Z', '2011-12-31T10:00:00.000Z', 24],
  ])('F116: in %s at %s is from %s to %s', (timeZone, instant, start, end, hours) => {
    expect(boundsAt(instant, timeZone)).toEqual({ start, end, hours });
  });

  // Red when: a date is taken for a day of UTC, or a day is taken to be 24 hours.
  test.each([
    ['America/Vancouver', '2026-01-10', '2026-01-10T08:00:00.000Z', '2026-01-11T08:00:00.000Z'],
    ['Europe/Berlin', '2026-01-10', '2026-01-09T23:00:00.000Z', '2026-01-10T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-10', '2026-01-09T10:00:00.000Z', '2026-01-10T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-01-10', '2026-01-10T11:00:00.000Z', '2026-01-11T11:00:00.000Z'],
  ])('F116: in %s the date %s is from %s to %s', (timeZone, date, start, end) => {
    const bounds = boundsOfDate(date, timeZone);
    expect([bounds?.startMs, bounds?.endMs]).toEqual([Date.parse(start), Date.parse(end)]);
  });

  test('F116: a date that is none, or that a country left out, is no day', () => {
    for (const date of ['2026-02-30', '2026-1-1', 'today', '']) {
      expect([date, boundsOfDate(date, 'UTC')]).toEqual([date, undefined]);
    }
    expect(boundsOfDate('2011-12-30', 'Pacific/Apia')).toBeUndefined();
  });
});
