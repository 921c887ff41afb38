import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The one key of one action, in every attempt for ever. 45 characters of [0-9a-f-], which every provider we know
 * of takes. The operation ID stays readable in it; the tail keeps two organisations apart.
 */
export const idempotencyKeyOf = (organisationId: string, operationId: string): string =>
  `${operationId}-${bytesToHex(sha256(utf8ToBytes(organisationId))).slice(0, 8)}`;
