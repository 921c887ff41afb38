import { describe, expect, it } from 'vitest';
import { behindPath, offsetText, readBehind, readDays } from './numbers-address.ts';

const searchOf = (path: string): URLSearchParams => new URL(path, 'http://localhost').searchParams;

describe('the filters of the numbers', () => {
  it('stand in the address, and are asked of the server as they stand there', () => {
    const path = behindPath({ figure: 'unknown', oldestFromSeconds: 900, oldestBelowSeconds: 3_600 });
    expect(path).toBe('/numbers/operations?figure=unknown&oldestFromSeconds=900&oldestBelowSeconds=3600');
    expect(readBehind(searchOf(path))?.query).toBe(
      'figure=unknown&oldestFromSeconds=900&oldestBelowSeconds=3600',
    );
    expect(behindPath({ figure: 'unknown', oldestFromSeconds: 86_400, oldestBelowSeconds: null })).toBe(
      '/numbers/operations?figure=unknown&oldestFromSeconds=86400',
    );
    expect(readBehind(searchOf('/numbers/operations?figure=everything'))).toBeNull();
    expect([readDays(searchOf('/numbers?days=7')), readDays(searchOf('/numbers?days=8'))]).toEqual([7, 30]);
  });

  // Red when: a zone is named without its offset, or with that of another time of the year.
  it('F116: name the zone with its offset at that moment', () => {
    expect(offsetText('Europe/Berlin', '2026-01-10T12:00:00Z')).toBe('UTC+01:00');
    expect(offsetText('Europe/Berlin', '2026-07-10T12:00:00Z')).toBe('UTC+02:00');
    expect(offsetText('UTC', '2026-07-10T12:00:00Z')).toBe('UTC');
  });
});
