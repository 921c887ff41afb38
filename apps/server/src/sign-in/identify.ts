import type { Principal } from '@holdfast/engine';
import { hashApiKey, keyInHeader } from './api-key.ts';
import type { AccessStore, KeyRecord } from './access-store.ts';
import { deviceFamilyOf } from './device-family.ts';
import { ownerLetsWork, type KeyScope } from './key-rules.ts';
import type { People, Session } from './people.ts';

/** Who sends a request, as far as the server has proved it. */
export type Identity = {
  readonly principal: Principal;
  /** Under whose name a device keeps commands; a command or request that names another is refused. */
  readonly subject: string;
  /** What requests are counted by: one session's person, or one key. */
  readonly credential: string;
  readonly byCookie: boolean;
  /** A key may be narrower than its role. */
  readonly scope?: KeyScope;
  readonly session?: Session;
};

/** `no-membership`: a person we know, who belongs to no organisation any more. */
export type Identify = (headers: Headers) => Promise<Identity | 'no-membership' | undefined>;

/** Kept once a minute at most, and never waited for: a request must not fail because its key's use was not noted. */
const noteUse = (store: AccessStore, { organisationId, id, usedLately }: KeyRecord): void => {
  if (!usedLately) void store.noteKeyUsed(organisationId, id).catch(() => undefined);
};

const byKey = async (store: AccessStore, authorization: string): Promise<Identity | undefined> => {
  const key = keyInHeader(authorization);
  // Looked up by its hash: what a comparison's time could tell is about the hash of what was sent, which nobody can
  // steer towards that of a key they do not have.
  const record = key === undefined ? undefined : await store.keyByHash(hashApiKey(key));
  if (record === undefined || !ownerLetsWork(record)) return undefined;
  noteUse(store, record);
  return {
    principal: {
      organisationId: record.organisationId,
      actor: {
        id: record.ownerUserId ?? record.id,
        name: record.ownerName ?? record.name,
        role: record.role,
        assistant: record.assistant,
        via: record.ownerUserId === null ? 'ownerless-key' : 'owned-key',
      },
      from: { by: 'key', keyId: record.id },
      subject: record.ownerSubject ?? record.id,
    },
    subject: record.ownerSubject ?? record.id,
    credential: `key ${record.id}`,
    byCookie: false,
    scope: record.scope,
  };
};

/**
 * Answers who sends a request. A request with an `Authorization` header is judged by that alone. Role and
 * organisation are read afresh each time, so that taking them away takes effect at once: a session whose chosen
 * organisation was left goes on in the one joined first, under that one's subject, so that nothing given for the other
 * is taken for this.
 */
export const identifier =
  (store: AccessStore, people: People): Identify =>
  async (headers) => {
    const authorization = headers.get('authorization');
    if (authorization !== null) return byKey(store, authorization);
    if (headers.get('cookie') === null) return undefined;
    const session = await people.sessionOf(headers);
    if (session === undefined) return undefined;
    // Only what the list of sessions says hangs on it: no request fails for that.
    await people.sessions.see(session.sessionId).catch(() => undefined);
    const memberships = await store.membershipsOf(session.userId);
    const chosen = memberships.find(({ organisationId }) => organisationId === session.organisationId);
    const membership = chosen ?? memberships[0];
    if (membership === undefined) return 'no-membership';
    return {
      principal: {
        organisationId: membership.organisationId,
        actor: {
          id: session.userId,
          name: membership.name,
          role: membership.role,
          assistant: false,
          via: 'session',
        },
        from: {
          by: 'session',
          sessionId: session.sessionId,
          device: deviceFamilyOf(headers.get('user-agent')),
        },
        subject: membership.subject,
      },
      subject: membership.subject,
      credential: `person ${session.userId}`,
      byCookie: true,
      session,
    };
  };
