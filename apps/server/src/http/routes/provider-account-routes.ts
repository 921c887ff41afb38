import type { ProviderAccount } from '@holdfast/engine';
import { z } from 'zod';
import { guarded, json, type GuardedRoute } from '../route.ts';

export type ProviderAccountParts = {
  /** The account that refunds of this organisation are made from now; `undefined` where it has none yet. */
  readonly accountOf: (organisationId: string) => ProviderAccount | undefined;
};

/** Enough to tell accounts apart by, not enough to use elsewhere: what kind of name it is, and its last four signs. */
const masked = (accountId: string): string =>
  `${accountId.slice(0, accountId.indexOf('_') + 1)}…${accountId.slice(-4)}`;

export const providerAccountRoutes = ({ accountOf }: ProviderAccountParts): GuardedRoute[] => [
  guarded({
    method: 'get',
    path: '/v1/provider-account',
    summary: 'Which provider account this organisation uses. Its secrets are told to nobody.',
    needs: ['admin'],
    peopleOnly: true,
    answers: {
      200: {
        description: 'The account, or null where approved refunds wait for one',
        schema: z.object({
          account: z
            .object({
              provider: z.string(),
              accountId: z.string(),
              liveMode: z.boolean(),
              fake: z.boolean(),
            })
            .nullable(),
        }),
      },
    },
    handle: ({ who }) => {
      const known = accountOf(who.organisationId);
      if (known === undefined) return Promise.resolve(json(200, { account: null }));
      const { accountId, liveMode, fake } = known;
      const account = { provider: 'stripe', accountId: masked(accountId), liveMode, fake };
      return Promise.resolve(json(200, { account }));
    },
  }),
];
