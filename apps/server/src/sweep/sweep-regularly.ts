import type { ProviderAccount, SweepResult } from '@holdfast/engine';
import type { Sweeper } from '@holdfast/engine/postgres';
import { takeTurns } from '../background/take-turns.ts';

export type SweepingParts = {
  readonly sweeper: Sweeper;
  readonly accounts: () => readonly ProviderAccount[];
  /** The pause between two sweeps of an account; `null`: only what people ask for is swept. */
  readonly everyMs: number | null;
  readonly onEnd: (account: ProviderAccount, result: SweepResult) => void;
  readonly onTrouble: (error: unknown, organisationId: string) => void;
};

/**
 * Carries out whatever sweep is due, of every account, each beside the others. When one is due stands in the database,
 * and of many processes one takes it. One account's trouble keeps no other from its sweep.
 */
export const sweepOnce = async (
  { sweeper, accounts, everyMs, onEnd, onTrouble }: SweepingParts,
  underWay: Set<string>,
): Promise<void> => {
  await Promise.all(
    accounts().map(async (account) => {
      const { organisationId } = account;
      if (underWay.has(organisationId)) return;
      underWay.add(organisationId);
      try {
        const result = await sweeper.runDue(account, everyMs);
        if (result !== null) onEnd(account, result);
      } catch (error) {
        onTrouble(error, organisationId);
      } finally {
        underWay.delete(organisationId);
      }
    }),
  );
};

/** What was asked for in the app begins this late at most. */
const betweenLooksMs = 2_000;

/** Looks again and again, beside the worker and never in its way. @returns the stop, which waits for what is under way */
export const sweepRegularly = (parts: SweepingParts): (() => Promise<void>) => {
  const underWay = new Set<string>();
  const looks = new Set<Promise<void>>();
  const stop = takeTurns(betweenLooksMs, () => {
    // A long sweep of one account holds up the look for no other.
    const look = sweepOnce(parts, underWay).finally(() => looks.delete(look));
    looks.add(look);
    return Promise.resolve(betweenLooksMs);
  });
  return async () => {
    await stop();
    await Promise.all(looks);
  };
};
