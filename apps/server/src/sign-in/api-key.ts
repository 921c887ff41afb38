import { createHash, randomBytes } from 'node:crypto';

const prefix = 'hf_';

/** A fresh API key: 256 bits of chance. Shown once; only its hash is kept. */
export const mintApiKey = (): string => `${prefix}${randomBytes(32).toString('base64url')}`;

/** What the database keeps. A key has too much chance in it to be guessed, so a plain hash is enough. */
export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The key of an `Authorization: Bearer` header; `undefined` where it carries no key of ours. */
export const keyInHeader = (authorization: string): string | undefined => {
  const match = /^Bearer +(hf_[A-Za-z0-9_-]{43})$/i.exec(authorization.trim());
  return match?.[1];
};
