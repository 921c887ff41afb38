import { randomUUID } from 'node:crypto';
import { roles } from '@holdfast/operation';
import { z } from 'zod';
import { hashApiKey, mintApiKey } from '../../sign-in/api-key.ts';
import { keyScopes } from '../../sign-in/key-rules.ts';
import type { KeyStore, ListedKey } from '../../sign-in/key-store.ts';
import { invalidFields, Refusal, refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute } from '../route.ts';

export type KeyParts = {
  readonly store: KeyStore;
  readonly nowMs: () => number;
  readonly rightsChanged: () => void;
};

const keyRoles = ['agent', 'approver', 'operator', 'integrator'] as const;
const moment = z.iso.datetime().nullable();
const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  scope: z.enum(keyScopes),
  assistant: z.boolean(),
  owner: z.object({ id: z.string(), name: z.string() }).nullable(),
  createdAt: z.iso.datetime(),
  lastUsedAt: moment,
  expiresAt: moment,
  revokedAt: moment,
  rotatedAt: moment,
  oldWorksUntil: moment,
  stands: z.enum(['works', 'revoked', 'expired', 'owner-left', 'owner-lost-the-role']),
});

const text = (at: Date | null): string | null => at?.toISOString() ?? null;
const shown = (key: ListedKey) => ({
  ...key,
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: text(key.lastUsedAt),
  expiresAt: text(key.expiresAt),
  revokedAt: text(key.revokedAt),
  rotatedAt: text(key.rotatedAt),
  oldWorksUntil: text(key.oldWorksUntil),
});

const longestGraceSeconds = 7 * 86_400;
const orderSchema = z.object({
  name: z.string().trim().min(1, 'must not be empty').max(300),
  role: z.enum(keyRoles),
  scope: z.enum(keyScopes).default('role'),
  assistant: z.boolean().default(false),
  ownerId: z.string().min(1).max(200).nullable(),
  expiresAt: z.iso.datetime().nullable(),
});
const keyBody = z.object({ keyId: z.string().min(1).max(200) });

const wrongField = (path: string, message: string): Refusal =>
  new Refusal(invalidFields([{ path, message }]));
const noKey = (): Refusal => refuse('not-found', 'There is no such key that still works.', { final: true });

const create = ({ store, nowMs }: KeyParts): GuardedRoute =>
  guarded({
    method: 'post',
    path: '/v1/keys',
    summary: 'Make a key. It is told here, once: only its hash is kept.',
    needs: ['admin'],
    peopleOnly: true,
    body: orderSchema,
    answers: {
      201: { description: 'The key, this once', schema: z.object({ id: z.string(), key: z.string() }) },
    },
    handle: async ({ who, body: { ownerId, expiresAt, ...body } }) => {
      const ends = expiresAt === null ? null : new Date(expiresAt);
      if (ends !== null && ends.getTime() <= nowMs()) throw wrongField('expiresAt', 'must be in the future');
      const [id, key] = [randomUUID(), mintApiKey()];
      const order = { ...body, id, hash: hashApiKey(key), ownerUserId: ownerId, expiresAt: ends };
      const outcome = await store.createKey(who.organisationId, { ...order, by: who.actor.id });
      switch (outcome) {
        case 'created':
          return json(201, { id, key });
        case 'no-such-owner':
          throw wrongField('ownerId', 'does not belong to this organisation');
        case 'more-than-owner':
          throw wrongField('role', 'is more than the owner has: a key never may what its owner may not');
      }
    },
  });

export const keyRoutes = (parts: KeyParts): GuardedRoute[] => [
  guarded({
    method: 'get',
    path: '/v1/keys',
    summary: 'The API keys of this organisation. Their secrets are nowhere.',
    needs: ['admin'],
    peopleOnly: true,
    answers: { 200: { description: 'Keys', schema: z.object({ items: z.array(keySchema) }) } },
    handle: async ({ who }) => {
      const keys = await parts.store.keys(who.organisationId);
      return json(200, { items: keys.map(shown) });
    },
  }),
  create(parts),
  guarded({
    method: 'post',
    path: '/v1/keys/rotate',
    summary:
      'Give a key a new secret, told once. The old one goes on working for the time asked for, then no more.',
    needs: ['admin'],
    peopleOnly: true,
    body: keyBody.extend({ graceSeconds: z.int().min(0).max(longestGraceSeconds).default(86_400) }),
    answers: {
      200: {
        description: 'The new secret, this once',
        schema: z.object({ id: z.string(), key: z.string(), oldWorksUntil: moment }),
      },
    },
    handle: async ({ who, body: { keyId, graceSeconds } }) => {
      const key = mintApiKey();
      const change = { id: keyId, hash: hashApiKey(key), graceSeconds, by: who.actor.id };
      const rotated = await parts.store.rotateKey(who.organisationId, change);
      if (rotated === undefined) throw noKey();
      if (graceSeconds === 0) parts.rightsChanged();
      return json(200, { id: keyId, key, oldWorksUntil: text(rotated.oldWorksUntil) });
    },
  }),
  guarded({
    method: 'post',
    path: '/v1/keys/revoke',
    summary: 'A key works no more, from the next request on. Its open feeds end.',
    needs: ['admin'],
    peopleOnly: true,
    body: keyBody,
    answers: { 200: { description: 'Revoked', schema: z.object({ done: z.literal(true) }) } },
    handle: async ({ who, body: { keyId } }) => {
      const asked = { id: keyId, by: who.actor.id };
      if ((await parts.store.revokeKey(who.organisationId, asked)) === 'not-found') throw noKey();
      parts.rightsChanged();
      return json(200, { done: true });
    },
  }),
];
