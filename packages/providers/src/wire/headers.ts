import type { WireHeaders } from './exchange-once.ts';

/** The answer's `Date` header as milliseconds since the epoch. */
export const dateIn = (headers: WireHeaders): number | null => {
  const atMs = Date.parse(headers['date'] ?? '');
  return Number.isFinite(atMs) ? atMs : null;
};

/** `Retry-After` as milliseconds: seconds, or an HTTP date measured against the answer's own `Date`. */
export const retryAfterIn = (headers: WireHeaders): number | null => {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  const waitMs = Date.parse(text) - Date.parse(headers['date'] ?? '');
  return Number.isFinite(waitMs) && waitMs >= 0 ? waitMs : null;
};
