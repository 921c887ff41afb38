/** What came of handing a notice over. `unreachable`: no answer, or none that could be read. */
export type Delivery =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: 'unreachable' };

export type DeliveryVerdict =
  | { readonly then: 'sent' }
  /** The browser is no more, or will never take anything of ours: its subscription ends. */
  | { readonly then: 'gone'; readonly because: 'gone' | 'refused' }
  | { readonly then: 'later'; readonly afterMs: number }
  | { readonly then: 'given-up' };

const firstPauseMs = 15_000;
const longestPauseMs = 60 * 60_000;
const mostTries = 8;

/** @param tries the one just made included */
export const judgeDelivery = (delivery: Delivery, tries: number): DeliveryVerdict => {
  const status = delivery.kind === 'answered' ? delivery.status : 503;
  if (status >= 200 && status < 300) return { then: 'sent' };
  if (status === 404 || status === 410) return { then: 'gone', because: 'gone' };
  // Another key than the one it was made for, or an address that push services do not know.
  if (status === 400 || status === 401 || status === 403) return { then: 'gone', because: 'refused' };
  const mayChange = status === 429 || status === 408 || status >= 500;
  if (!mayChange || tries >= mostTries) return { then: 'given-up' };
  const askedMs = delivery.kind === 'answered' ? (delivery.retryAfterMs ?? 0) : 0;
  const pauseMs = firstPauseMs * 2 ** (tries - 1);
  return { then: 'later', afterMs: Math.min(longestPauseMs, Math.max(askedMs, pauseMs)) };
};
