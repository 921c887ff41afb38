import type { Seal, SealSigner } from '@holdfast/engine';
import { newestSeal, sealAudit, type InOrganisation } from '@holdfast/engine/postgres';
import { takeTurns } from '../background/take-turns.ts';
import { keepSeal } from './kept-seals.ts';
import { oneSealingKey, strangersKey } from './seal-key.ts';

/** A cut shows back to the last seal, so this is how much of the audit's end rests on the row that went on without it. */
const betweenSealsMs = 60_000;

export type SealingParts = {
  readonly inOrganisation: InOrganisation;
  readonly organisations: () => Promise<readonly { readonly id: string }[]>;
  readonly signer: () => Promise<SealSigner>;
  readonly dataFolder: string;
  readonly onTrouble: (error: unknown, organisationId: string | null) => void;
};

/** Seals what one organisation has audited, and keeps the newest seal beside the database. */
export const sealNow = async (
  { inOrganisation, signer, dataFolder }: Pick<SealingParts, 'inOrganisation' | 'signer' | 'dataFolder'>,
  organisationId: string,
): Promise<Seal | undefined> => {
  const seal = await sealAudit(inOrganisation, organisationId, await signer());
  if (seal !== undefined) await keepSeal(dataFolder, seal);
  return seal;
};

/**
 * Seals every organisation once. Where another key made the newest seal this machine leaves it alone: two keys that take
 * turns would each be a forger to the other.
 * @param strangers organisations of which that was told already
 */
export const sealAll = async (
  parts: SealingParts,
  strangers: Set<string>,
  stopped: () => boolean = () => false,
): Promise<void> => {
  const sealOwn = async (id: string): Promise<void> => {
    const { publicKey } = await parts.signer();
    if (strangersKey(await parts.inOrganisation(id, newestSeal), [publicKey]) === null) {
      strangers.delete(id);
      await sealNow(parts, id);
    } else if (!strangers.has(id)) {
      strangers.add(id);
      parts.onTrouble(new Error(oneSealingKey), id);
    }
  };
  for (const { id } of await parts.organisations()) {
    if (stopped()) return;
    // One organisation's trouble keeps no other from its seal.
    await sealOwn(id).catch((error: unknown) => {
      parts.onTrouble(error, id);
    });
  }
};

/** Seals every organisation's audit again and again, outliving a database that is away. @returns how to stop it */
export const sealRegularly = (parts: SealingParts): (() => Promise<void>) => {
  const strangers = new Set<string>();
  return takeTurns(betweenSealsMs, async (stopped) => {
    await sealAll(parts, strangers, stopped).catch((error: unknown) => {
      parts.onTrouble(error, null);
    });
    return betweenSealsMs;
  });
};
