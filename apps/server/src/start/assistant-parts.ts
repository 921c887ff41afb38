import type { Principal } from '@holdfast/engine';
import { countHeldBack } from '@holdfast/engine/postgres';
import { modelAt } from '../assistant/model-reading.ts';
import { isDatabaseAway } from '../http/failure.ts';
import type { Overload } from '../http/overload.ts';
import { rateLimiter } from '../http/rate-limit.ts';
import type { AssistantParts } from '../http/routes/assistant-route.ts';
import type { McpParts } from '../http/routes/mcp-route.ts';
import type { OpenServer } from './run-server.ts';

/** Refunds that one assistant may begin or propose in a minute: a busy desk of people does not come near it. */
const assistantPerMinute = 60;
/** Clients give up after 25 to 30 seconds; a receipt is there well before. */
const receiptWithinMs = 8_000;
/** Turns that one person may ask for in a minute. */
const turnsPerMinute = 30;
const alertEveryMs = 60_000;

/** Calls of a burst are counted together: one row for a second of them. */
const countTogetherMs = 1_000;

type HeldBack = (who: Principal) => void;

/** Counts what is held back, for every process's metrics; the alert looks at that. */
const heldBackCount = ({ made }: Pick<OpenServer, 'made'>, onFailure: (error: unknown) => void): HeldBack => {
  const calls = new Map<string, number>();
  return ({ organisationId }) => {
    const before = calls.get(organisationId);
    calls.set(organisationId, (before ?? 0) + 1);
    if (before !== undefined) return;
    setTimeout(() => {
      const counted = calls.get(organisationId) ?? 0;
      calls.delete(organisationId);
      made
        .inOrganisation(organisationId, (tx) => Promise.resolve(countHeldBack(tx, counted)))
        .catch(onFailure);
    }, countTogetherMs).unref();
  };
};

/** Says once a minute that an organisation's assistants ask in bursts. */
const burstAlert = (log: OpenServer['log']): HeldBack => {
  const saidAt = new Map<string, number>();
  return ({ organisationId, from }) => {
    const nowMs = Date.now();
    if (nowMs - (saidAt.get(organisationId) ?? 0) < alertEveryMs) return;
    saidAt.set(organisationId, nowMs);
    const key = from?.by === 'key' ? { keyId: from.keyId } : {};
    log.warn({ organisationId, ...key }, 'an assistant proposes in bursts and is held back');
  };
};

/** What the assistants' doors work with: the programs' own, and the one that streams to people. */
export const assistantParts = (
  opened: Pick<OpenServer, 'sharedKey' | 'streams' | 'log' | 'settings' | 'made'>,
  { during, retryAfter }: Pick<Overload, 'during' | 'retryAfter'>,
  logFailure: (error: unknown, away: boolean) => void,
): { readonly mcp: McpParts; readonly assistant: AssistantParts } => {
  const onFailure = (error: unknown): void => {
    logFailure(error, isDatabaseAway(error));
  };
  const { sharedKey, streams, log, settings } = opened;
  const { assistantModel } = settings;
  const askModel = assistantModel === undefined ? undefined : modelAt(assistantModel, onFailure);
  const limiter = rateLimiter(assistantPerMinute, Date.now);
  const [count, say] = [heldBackCount(opened, onFailure), burstAlert(log)];
  const onBurst: HeldBack = (who) => {
    count(who);
    say(who);
  };
  return {
    mcp: {
      sharedKey,
      limiter,
      onBurst,
      onFailure,
      receiptWithinMs,
      during,
      streams,
      nowMs: Date.now,
    },
    assistant: {
      limiter: rateLimiter(turnsPerMinute, Date.now),
      during,
      retryAfter,
      streams,
      onFailure,
      askModel,
    },
  };
};
