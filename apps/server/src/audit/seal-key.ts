import { hkdfSync } from 'node:crypto';
import { sealSigner } from '@holdfast/engine/postgres';
import type { Seal, SealSigner } from '@holdfast/engine';

/**
 * Who signs seals on this installation: a key derived from the one that provider secrets are sealed with, so it is kept
 * where that is kept (HOLDFAST_SECRETS_KEY, or the data folder) and never in the database.
 */
export const sealSignerOf = (sealingKey: Uint8Array): SealSigner =>
  sealSigner(new Uint8Array(hkdfSync('sha256', sealingKey, '', 'holdfast audit seal', 32)));

/** The key that the newest seal is signed with, where it is none of these; null where it is, or where none is known here. */
export const strangersKey = (
  newest: Pick<Seal, 'publicKey'> | null,
  known: readonly string[] | null,
): string | null =>
  newest === null || known === null || known.includes(newest.publicKey) ? null : newest.publicKey;

/** What to do about it. */
export const oneSealingKey =
  'its newest seal is signed with another key. Give every machine that seals the same HOLDFAST_SECRETS_KEY; if the other key is gone, `holdfast audit seal` goes on with this one.';
