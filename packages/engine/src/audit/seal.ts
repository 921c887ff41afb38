import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonical, chainStart, type ChainFault } from './audit-chain.ts';

/** The newest entry of one chain. */
export type ChainHead = { readonly chain: string; readonly sequence: number; readonly hash: string };

/**
 * How far sealing has come. First every chain there is, in order, as after a restore, where transactions are counted
 * anew; from then on whatever transactions have written, in their order. `from`: all before this transaction is sealed.
 */
export type SealPosition = { readonly generation: string; readonly from: string } & (
  | { readonly phase: 'operations'; readonly after: string }
  | { readonly phase: 'subjects'; readonly after: string }
  | { readonly phase: 'transactions' }
);

/** What is signed. */
export type SealBody = {
  readonly organisationId: string;
  readonly number: number;
  readonly at: string;
  readonly previousHash: string;
  readonly heads: number;
  readonly root: string;
  readonly position: SealPosition;
  readonly publicKey: string;
};
export type Seal = SealBody & { readonly hash: string; readonly signature: string };

/** Ed25519. Keys and signatures as base64url. */
export type SealSigner = {
  readonly publicKey: string;
  readonly sign: (contents: Uint8Array) => string;
};
export type VerifySignature = (publicKey: string, contents: Uint8Array, signature: string) => boolean;

/** What the first seal is chained to. */
export const sealStart = chainStart;

// The first words keep this signature from ever being good for anything else.
const contentsOf = (body: SealBody): Uint8Array =>
  utf8ToBytes(
    `holdfast audit seal 1\n${canonical({
      organisationId: body.organisationId,
      number: body.number,
      at: body.at,
      previousHash: body.previousHash,
      heads: body.heads,
      root: body.root,
      position: body.position,
      publicKey: body.publicKey,
    })}`,
  );

/** Takes heads in order of their chains, however many, and keeps none of them. */
export const rootOfHeads = () => {
  const hash = sha256.create().update(utf8ToBytes('holdfast audit heads 1\n'));
  return {
    add: ({ chain, sequence, hash: head }: ChainHead): void => {
      hash.update(utf8ToBytes(`${JSON.stringify([chain, sequence, head])}\n`));
    },
    root: (): string => bytesToHex(hash.digest()),
  };
};

/** Signs one seal. Heads come sorted by chain. */
export const makeSeal = (
  signer: SealSigner,
  given: Pick<SealBody, 'organisationId' | 'at' | 'position'>,
  previous: Pick<Seal, 'number' | 'hash'> | null,
  heads: readonly ChainHead[],
): Seal => {
  const root = rootOfHeads();
  heads.forEach(root.add);
  const body: SealBody = {
    ...given,
    number: (previous?.number ?? 0) + 1,
    previousHash: previous?.hash ?? sealStart,
    heads: heads.length,
    root: root.root(),
    publicKey: signer.publicKey,
  };
  const contents = contentsOf(body);
  return { ...body, hash: bytesToHex(sha256(contents)), signature: signer.sign(contents) };
};

export const sealFault = (sequence: number, because: string): ChainFault => ({
  operationId: null,
  chain: 'seals',
  sequence,
  because,
});

/** What is wrong with a seal by itself. `trusted`: the keys that may have signed; null: whatever it says itself. */
export const faultsOfSeal = (
  seal: Seal,
  trusted: readonly string[] | null,
  verify: VerifySignature,
): readonly ChainFault[] => {
  const contents = contentsOf(seal);
  const faults: ChainFault[] = [];
  if (bytesToHex(sha256(contents)) !== seal.hash) {
    faults.push(sealFault(seal.number, 'the seal is not what was hashed'));
  }
  if (!verify(seal.publicKey, contents, seal.signature)) {
    faults.push(sealFault(seal.number, 'the seal is not signed with the key that it names'));
  } else if (trusted !== null && !trusted.includes(seal.publicKey)) {
    faults.push(sealFault(seal.number, 'the seal is signed with a key that is not this installation’s'));
  }
  return faults;
};

const uuidIn = /^operation ([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

export const operationOfChain = (chain: string): string | null => uuidIn.exec(chain)?.[1] ?? null;

/** A chain beside what a seal holds of it. `now`: the hash of that entry as it is stored, null where there is none. */
export const faultOfHead = (seal: number, head: ChainHead, now: string | null): ChainFault | null => {
  if (now === head.hash) return null;
  return {
    operationId: operationOfChain(head.chain),
    chain: head.chain,
    sequence: head.sequence,
    because:
      now === null
        ? `seal ${String(seal)} holds this entry, and it is gone`
        : `seal ${String(seal)} holds another entry in this place`,
  };
};
