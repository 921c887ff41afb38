import type { Principal } from '@holdfast/engine';
import { hashApiKey, keyInHeader } from './api-key.ts';
import type { AccessStore } from './access-store.ts';
import { deviceFamilyOf } from './device-family.ts';
import type { People } from './people.ts';

/** Who sends a request, as far as the server has proved it. */
export type Identity = {
  readonly principal: Principal;
  /** What requests are counted by: one session's person, or one key. */
  readonly credential: string;
  readonly byCookie: boolean;
};

export type Identify = (headers: Headers) => Promise<Identity | undefined>;

const byKey = async (store: AccessStore, authorization: string): Promise<Identity | undefined> => {
  const key = keyInHeader(authorization);
  const record = key === undefined ? undefined : await store.keyByHash(hashApiKey(key));
  if (record === undefined) return undefined;
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
    },
    credential: `key ${record.id}`,
    byCookie: false,
  };
};

/**
 * Answers who sends a request. A request with an `Authorization` header is judged by that alone. Role and
 * organisation are read afresh each time, so that taking them away takes effect at once.
 */
export const identifier =
  (store: AccessStore, people: People): Identify =>
  async (headers) => {
    const authorization = headers.get('authorization');
    if (authorization !== null) return byKey(store, authorization);
    if (headers.get('cookie') === null) return undefined;
    const session = await people.sessionOf(headers);
    if (session === undefined) return undefined;
    const [membership] = await store.membershipsOf(session.userId);
    if (membership === undefined) return undefined;
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
      },
      credential: `person ${session.userId}`,
      byCookie: true,
    };
  };
