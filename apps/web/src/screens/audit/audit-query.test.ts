import { describe, expect, it } from 'vitest';
import { auditQuery, readAuditFilters, writeAuditFilters } from './audit-query.ts';

describe('the audit’s filters', () => {
  // Red when: a filter is lost on the way to the address and back, or the last day is left out.
  it('stand in the address, and count the last day whole', () => {
    const address = 'who=Ben&type=approve&order=A-1&from=2026-03-29&to=2026-03-29';
    const filters = readAuditFilters(new URLSearchParams(address));
    expect(writeAuditFilters(filters)).toBe(address);
    const asked = auditQuery(filters);
    expect(asked.get('who')).toBe('Ben');
    expect(asked.get('from')).toBe(new Date(2026, 2, 29).toISOString());
    expect(asked.get('to')).toBe(new Date(2026, 2, 30).toISOString());
    expect(auditQuery(readAuditFilters(new URLSearchParams('from=soon'))).has('from')).toBe(false);
  });
});
