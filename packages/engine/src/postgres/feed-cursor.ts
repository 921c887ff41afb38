import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FeedPosition } from '../feed/feed-position.ts';

const signature = (key: Uint8Array, payload: string): Buffer =>
  createHmac('sha256', key).update(payload).digest();

/** A position as clients hold it. Only the holder of the database's key can make one. */
export const signCursor = (key: Uint8Array, position: FeedPosition): string => {
  const { organisationId, generation, transactionId, rowId } = position;
  const payload = Buffer.from(JSON.stringify([1, organisationId, generation, transactionId, rowId])).toString(
    'base64url',
  );
  return `${payload}.${signature(key, payload).toString('base64url')}`;
};

/** `undefined` where the signature is not ours, or the text is no cursor at all. */
export const readCursor = (key: Uint8Array, cursor: string): FeedPosition | undefined => {
  const [payload, signed, ...rest] = cursor.split('.');
  if (payload === undefined || signed === undefined || rest.length > 0) return undefined;
  const given = Buffer.from(signed, 'base64url');
  const wanted = signature(key, payload);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  const [, organisationId, generation, transactionId, rowId] = JSON.parse(
    Buffer.from(payload, 'base64url').toString('utf8'),
  ) as [number, string, string, string, number];
  return { organisationId, generation, transactionId, rowId };
};
