import type { Passkeys } from '@holdfast/engine/postgres';
import { policySchema, type Policy } from '@holdfast/operation';
import { z } from 'zod';
import { guarded, json, type GuardedRoute } from '../route.ts';

export type SigningParts = {
  readonly passkeys: Pick<Passkeys, 'ofPerson'>;
  readonly policyOf: (organisationId: string) => Promise<Policy>;
};

const signingSchema = z.object({
  organisationId: z.string(),
  /** Who signs: the same in every organisation. */
  approverId: z.string(),
  signatureRequired: policySchema.shape.signatureRequired,
  passkeys: z.array(
    z.object({ credentialId: z.string(), relyingPartyId: z.string(), transports: z.array(z.string()) }),
  ),
});

/** What a device needs to know to sign approvals later, without a connection. Nothing of it is secret. */
export const signingRoutes = ({ passkeys, policyOf }: SigningParts): GuardedRoute[] => [
  guarded({
    method: 'get',
    path: '/v1/me/signing',
    summary: 'What your approvals are signed with, for a device that may have to do it without a connection.',
    needs: ['approver'],
    answers: {
      200: { description: 'Whose passkeys, and when a signature is needed', schema: signingSchema },
    },
    handle: async ({ who }) => {
      const { organisationId, actor } = who;
      const own = actor.via === 'session' ? await passkeys.ofPerson(actor.id) : [];
      const { signatureRequired } = await policyOf(organisationId);
      return json(200, {
        organisationId,
        approverId: actor.id,
        signatureRequired,
        passkeys: own
          .filter(({ revokedAt }) => revokedAt === null)
          .map(({ credentialId, rpId, transports }) => ({
            credentialId,
            relyingPartyId: rpId,
            transports: transports.split(',').filter(Boolean),
          })),
      });
    },
  }),
];
