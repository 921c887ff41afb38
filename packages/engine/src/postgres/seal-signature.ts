import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { SealSigner, VerifySignature } from '../audit/seal.ts';

// RFC 8410: what stands before a raw Ed25519 key in DER.
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** @param seed 32 bytes of chance that are not in the database */
export const sealSigner = (seed: Uint8Array): SealSigner => {
  const key = createPrivateKey({
    key: Buffer.concat([privatePrefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: der.subarray(publicPrefix.length).toString('base64url'),
    sign: (contents) => sign(null, contents, key).toString('base64url'),
  };
};

export const verifySealSignature: VerifySignature = (publicKey, contents, signature) => {
  try {
    const key = createPublicKey({
      key: Buffer.concat([publicPrefix, Buffer.from(publicKey, 'base64url')]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, contents, key, Buffer.from(signature, 'base64url'));
  } catch {
    // Not a key at all.
    return false;
  }
};
