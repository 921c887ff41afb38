import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zonedTime } from './zoned-time.ts';

describe('a time written for a zone', () => {
  // Red when: times are written in UTC whatever zone is named, or without the offset of that very moment.
  it.each([
    ['America/Vancouver', '2026-01-11T00:42:00.000Z', '2026-01-10T16:42:00.000-08:00'],
    ['Europe/Berlin', '2026-01-11T00:42:00.000Z', '2026-01-11T01:42:00.000+01:00'],
    ['UTC', '2026-01-11T00:42:00.123Z', '2026-01-11T00:42:00.123Z'],
    ['Africa/Abidjan', '2026-01-11T00:42:00.000Z', '2026-01-11T00:42:00.000+00:00'],
    // The hour that comes twice: the offset alone tells one from the other.
    ['Europe/Berlin', '2026-10-25T00:30:00.000Z', '2026-10-25T02:30:00.000+02:00'],
    ['Europe/Berlin', '2026-10-25T01:30:00.000Z', '2026-10-25T02:30:00.000+01:00'],
    // The hour that does not come.
    ['Europe/Berlin', '2026-03-29T01:30:00.000Z', '2026-03-29T03:30:00.000+02:00'],
    ['Asia/Kathmandu', '2026-01-10T18:14:59.999Z', '2026-01-10T23:59:59.999+05:45'],
  ])('F116 in %s %s is %s', (zone, instant, written) => {
    expect(zonedTime(zone)(instant)).toBe(written);
  });

  // Red when: a part is written that does not belong to the offset.
  it('F116 whatever the zone, it is the same instant', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/Vancouver',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
    );
    const instants = fc.date({
      min: new Date('2000-01-01'),
      max: new Date('2040-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(zones, instants, (zone, at) => {
        expect(Date.parse(zonedTime(zone)(at.toISOString()))).toBe(at.getTime());
      }),
    );
  });
});
