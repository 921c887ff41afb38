import type { Principal } from '@holdfast/engine';
import { isDatabaseAway } from '../http/failure.ts';
import type { Overload } from '../http/overload.ts';
import { rateLimiter } from '../http/rate-limit.ts';
import type { McpParts } from '../http/routes/mcp-route.ts';
import type { OpenServer } from './run-server.ts';

/** Refunds that one assistant may begin or propose in a minute: a busy desk of people does not come near it. */
const assistantPerMinute = 60;
/** Clients give up after 25 to 30 seconds; a receipt is there well before. */
const receiptWithinMs = 8_000;
const alertEveryMs = 60_000;

/** Says once a minute that an organisation's assistants ask in bursts. */
const burstAlert = (log: OpenServer['log']): ((who: Principal) => void) => {
  const saidAt = new Map<string, number>();
  return ({ organisationId, from }) => {
    const nowMs = Date.now();
    if (nowMs - (saidAt.get(organisationId) ?? 0) < alertEveryMs) return;
    saidAt.set(organisationId, nowMs);
    const key = from?.by === 'key' ? { keyId: from.keyId } : {};
    log.warn({ organisationId, ...key }, 'an assistant proposes in bursts and is held back');
  };
};

/** What the assistants' door works with. */
export const mcpParts = (
  { sharedKey, streams, log }: Pick<OpenServer, 'sharedKey' | 'streams' | 'log'>,
  { during }: Pick<Overload, 'during'>,
  logFailure: (error: unknown, away: boolean) => void,
): McpParts => ({
  sharedKey,
  limiter: rateLimiter(assistantPerMinute, Date.now),
  onBurst: burstAlert(log),
  onFailure: (error) => {
    logFailure(error, isDatabaseAway(error));
  },
  receiptWithinMs,
  during,
  streams,
});
