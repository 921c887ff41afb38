import { hkdfSync } from 'node:crypto';
import { sealSigner } from '@holdfast/engine/postgres';
import type { SealSigner } from '@holdfast/engine';

/**
 * Who signs seals on this installation: a key derived from the one that provider secrets are sealed with, so it is kept
 * where that is kept (HOLDFAST_SECRETS_KEY, or the data folder) and never in the database.
 */
export const sealSignerOf = (sealingKey: Uint8Array): SealSigner =>
  sealSigner(new Uint8Array(hkdfSync('sha256', sealingKey, '', 'holdfast audit seal', 32)));
